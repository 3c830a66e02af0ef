"""The native module."""

from collections.abc import Callable
from os import PathLike
from typing import Any, TypeAlias, final

from typing_extensions import Buffer

__all__ = [
    "Cipher",
    "Gcm",
    "GcmCipher",
    "Reader",
    "Sectors",
    "bench",
    "check",
    "ciphers",
    "inspect",
    "keygen",
    "open",
    "plan",
    "predict",
    "read_sealed",
    "read_volume",
    "seal",
    "verify",
    "volume_info",
]

_Facts: TypeAlias = tuple[int, int, str, str, int, float]
_Identities: TypeAlias = tuple[list[tuple[bytes, str]], str | None]
_Progress: TypeAlias = Callable[[int, int | None], object]
_Source: TypeAlias = str | PathLike[str] | Buffer | Any

@final
class Cipher:
    """A cipher under a key in a mode (PEP 272): ECB, CBC, CTR or XTS. Made by `roundel.new`.

    The mode's state goes on from call to call, so that a message may be given in parts. An object of CBC or CTR encrypts or decrypts, not both.
    """

    def __new__(
        cls,
        cipher: str,
        key: Buffer,
        mode: str,
        iv: Buffer | None = None,
        unit_bytes: int = 512,
        unit: int = 0,
        strategy: str | None = None,
        allow_timing_leaks: bool = False,
    ) -> Cipher: ...
    @property
    def name(self) -> str:
        """The cipher's name."""
    @property
    def strategy(self) -> str:
        """The strategy that runs it."""
    @property
    def block_size(self) -> int:
        """Bytes of a block."""
    @property
    def key_size(self) -> int:
        """Bytes of the key."""
    def encrypt(self, data: Buffer, unit: int | None = None) -> bytes:
        """Encrypts the next part of the message.

        `unit` (XTS only) is the number of its first data unit; without it the units go on where the last call without it ended.
        """
    def decrypt(self, data: Buffer, unit: int | None = None) -> bytes:
        """Decrypts the next part of the message."""
    def encrypt_into(self, data: Buffer, buffer: Buffer, unit: int | None = None) -> int:
        """Encrypts into `buffer`, which may begin where `data` begins or lie apart from it; returns the number of bytes written."""
    def decrypt_into(self, data: Buffer, buffer: Buffer, unit: int | None = None) -> int:
        """Decrypts into `buffer`, which may begin where `data` begins or lie apart from it; returns the number of bytes written."""

@final
class Gcm:
    """Authenticated encryption of whole messages with a kept key, in GCM over any cipher with a block of 128 bits.

    A nonce must never be used for two messages under one key. 12 bytes is the length to choose.
    """

    def __new__(
        cls, cipher: str, key: Buffer, *, strategy: str | None = None, allow_timing_leaks: bool = False
    ) -> Gcm: ...
    @property
    def name(self) -> str:
        """The cipher's name."""
    @property
    def strategy(self) -> str:
        """The strategy that runs it."""
    @property
    def key_size(self) -> int:
        """Bytes of the key."""
    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """Ciphertext, and the tag's 16 bytes behind it."""
    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None = None) -> bytes:
        """The message, if the tag at the end of `data` is right; else `AuthenticationError`."""
    def encrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buffer: Buffer) -> int:
        """Writes ciphertext and tag into `buffer`, which may begin where `data` begins; returns the number of bytes written."""
    def decrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buffer: Buffer) -> int:
        """Writes the message into `buffer`, which may begin where `data` begins; returns the number of bytes written.

        If the tag is wrong, that many bytes of `buffer` are overwritten with zeros, and `AuthenticationError` is raised.
        """
    def message(self, nonce: Buffer) -> GcmCipher:
        """The object of PEP 272 for one message under this key."""

@final
class GcmCipher:
    """GCM for one message (PEP 272, with PyCryptodome's names). Made by `roundel.new`.

    There is no `decrypt`: plaintext is given when the tag is known to be right, by `decrypt_and_verify`.
    """

    @property
    def name(self) -> str:
        """The cipher's name."""
    @property
    def strategy(self) -> str:
        """The strategy that runs it."""
    @property
    def block_size(self) -> int:
        """Bytes of a block."""
    @property
    def key_size(self) -> int:
        """Bytes of the key."""
    @property
    def nonce(self) -> bytes:
        """The nonce."""
    def update(self, data: Buffer) -> None:
        """Adds data that is authenticated and not encrypted; before any text."""
    def encrypt(self, data: Buffer) -> bytes:
        """Encrypts the next part of the message: whole blocks of 16 bytes, but for the last part."""
    def digest(self) -> bytes:
        """The tag; nothing can be encrypted afterwards."""
    def encrypt_and_digest(self, data: Buffer) -> tuple[bytes, bytes]:
        """The last part of the message encrypted, and the tag."""
    def decrypt_and_verify(self, data: Buffer, tag: Buffer) -> bytes:
        """The whole message, if the tag is right; else `AuthenticationError`."""

@final
class Sectors:
    """Encryption of disk sectors, each by its number. Nothing is authenticated.

    `mode` is `xts`, `cbc`, `elephant-cbc` or `elephant-ecb`. The key is one key of the cipher for `cbc` and two, one after the other, for the others.
    """

    def __new__(
        cls,
        cipher: str,
        key: Buffer,
        *,
        mode: str = "xts",
        sector_bytes: int = 512,
        strategy: str | None = None,
        allow_timing_leaks: bool = False,
    ) -> Sectors: ...
    @property
    def sector_bytes(self) -> int:
        """Bytes of a sector."""
    def encrypt(self, first_sector: int, data: Buffer) -> bytes:
        """Encrypts whole sectors, numbered from `first_sector`."""
    def decrypt(self, first_sector: int, data: Buffer) -> bytes:
        """The inverse of `encrypt`."""
    def encrypt_into(self, first_sector: int, data: Buffer, buffer: Buffer) -> int:
        """Encrypts into `buffer`; returns the number of bytes written."""
    def decrypt_into(self, first_sector: int, data: Buffer, buffer: Buffer) -> int:
        """Decrypts into `buffer`; returns the number of bytes written."""

@final
class Reader:
    """Text that is read at any offset: what `roundel.files.ReaderFile` is made of."""

    def readinto(self, buffer: Buffer) -> int: ...
    def seek(self, offset: int, whence: int) -> int: ...
    def text_bytes(self) -> int: ...

def seal(
    source: _Source,
    target: str | PathLike[str] | None,
    recipients: list[str],
    passphrase: str | None,
    cipher: str,
    key_bits: int,
    allow_broken: bool,
    threads: int,
    sync: bool,
    replace: bool,
    progress: _Progress | None,
) -> tuple[bytes | None, _Facts]: ...
def open(
    source: _Source,
    target: str | PathLike[str] | None,
    identities: _Identities,
    threads: int,
    sync: bool,
    replace: bool,
    progress: _Progress | None,
) -> tuple[bytes | None, _Facts]: ...
def check(source: _Source, identities: _Identities, threads: int, progress: _Progress | None) -> _Facts: ...
def inspect(
    source: _Source,
) -> tuple[str, str, int | None, list[str], int, int | None, bool | None]: ...
def read_sealed(source: _Source, identities: _Identities) -> Reader: ...
def keygen() -> tuple[str, str]: ...
def volume_info(image: str | PathLike[str]) -> str: ...
def read_volume(
    image: str | PathLike[str],
    password: str | None,
    recovery_password: str | None,
    bek: bytes | None,
    clear_key: bool,
    allow_altered_metadata: bool,
    allow_missing_bitmaps: bool,
) -> Reader: ...
def ciphers() -> str: ...
def verify(ciphers: list[str], strategy: str | None, depth: str, threads: int) -> str: ...
def bench(
    ciphers: list[str],
    strategies: list[str],
    modes: list[str],
    sizes: list[int],
    key_bits: list[int],
    cores: str,
    effort: str,
) -> str: ...
def plan(
    cipher: str,
    message_bytes: int,
    mode: str,
    key_bits: int,
    decrypt: bool,
    messages_per_key: int | None,
    cold: bool,
    cores: int,
    allow_timing_leaks: bool,
) -> str: ...
def predict(
    sizes: list[int],
    cipher: str,
    mode: str,
    key_bits: int,
    decrypt: bool,
    cores: list[int],
    price: float | None,
    allow_timing_leaks: bool,
) -> str: ...
