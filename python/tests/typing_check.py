"""Read by mypy in strict mode, never run: what type checkers see of the package."""

import io
from pathlib import Path
from typing import Any, assert_type

import roundel
from roundel import volume

gcm = roundel.Gcm("aes", b"")
assert_type(gcm.encrypt(b"", bytearray(), memoryview(b"")), bytes)
assert_type(gcm.decrypt_into(b"", b"", None, bytearray()), int)
assert_type(roundel.new("aes", b"", mode="ctr", nonce=b"").encrypt(b""), bytes)
assert_type(roundel.new("aes", b"", mode="gcm", nonce=b"").encrypt_and_digest(b""), tuple[bytes, bytes])
assert_type(roundel.seal("path", recipients="age1"), bytes)
assert_type(roundel.seal(b"data", Path("target"), recipients=["age1", Path("file")]), roundel.Report)
assert_type(roundel.open(io.BytesIO(), identities=[Path("key"), "AGE-SECRET-KEY-1"]), bytes)
assert_type(roundel.open_sealed("path", "key.txt"), io.BufferedReader)
assert_type(volume.open("disk.img", bek=Path("key.bek")), io.BufferedReader)
assert_type(roundel.plan(64, mode="gcm"), list[dict[str, Any]])
assert_type(roundel.predict(range(4), cores=[1, 2]), list[dict[str, Any]])
assert_type(roundel.inspect("path").size, int | None)
roundel.new("aes", b"", mode="ofb")  # type: ignore[call-overload]
roundel.Gcm("aes", "a string is no key")  # type: ignore[arg-type]
roundel.seal("path", recipients=17)  # type: ignore[call-overload]
