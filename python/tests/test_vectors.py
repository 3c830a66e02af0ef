"""The repository's vector files, the same that the Rust tests read, through Python's objects."""

import re

import pytest
from conftest import VECTORS, mode_vectors

import roundel

CTR = [(name, case) for name in ("aes", "serpent", "twofish") for case in mode_vectors(f"{name}-ctr")]
GCM = [(name, case) for name in ("aes", "serpent", "twofish") for case in mode_vectors(f"{name}-gcm")]


def test_ctr():
    assert len(CTR) == 100
    for name, case in CTR:
        cipher = roundel.new(name, case["key"], mode="ctr", iv=case["iv"])
        assert cipher.encrypt(case["pt"]) == case["ct"], case["alg"]
        cipher = roundel.new(name, case["key"], mode="ctr", nonce=case["iv"])
        parts = [case["ct"][at : at + 7] for at in range(0, len(case["ct"]), 7)]
        assert b"".join(map(cipher.decrypt, parts)) == case["pt"], case["alg"]


def test_cbc():
    for case in mode_vectors("aes-cbc"):
        cipher = roundel.new("aes", case["key"], mode="cbc", iv=case["iv"])
        parts = [case["pt"][at : at + 16] for at in range(0, len(case["pt"]), 16)]
        assert b"".join(map(cipher.encrypt, parts)) == case["ct"]
        assert roundel.decrypt("aes", case["key"], case["ct"], mode="cbc", iv=case["iv"]) == case["pt"]


def test_xts():
    for case in mode_vectors("aes-xts"):
        unit = int.from_bytes(case["iv"], "little")
        cipher = roundel.new("aes", case["key"], mode="xts", unit_bytes=max(len(case["pt"]), 16))
        assert cipher.encrypt(case["pt"], unit) == case["ct"]
        assert cipher.decrypt(case["ct"], unit=unit) == case["pt"]


def test_gcm():
    assert len(GCM) == 100
    for name, case in GCM:
        gcm = roundel.Gcm(name, case["key"])
        sealed = case["ct"] + case["tag"]
        assert gcm.encrypt(case["iv"], case["pt"], case["aad"]) == sealed, case["alg"]
        assert gcm.decrypt(case["iv"], sealed, case["aad"]) == case["pt"], case["alg"]

        message = gcm.message(case["iv"])
        message.update(case["aad"][:5])
        message.update(case["aad"][5:])
        half = len(case["pt"]) // 32 * 16
        text = message.encrypt(case["pt"][:half])
        rest, tag = message.encrypt_and_digest(case["pt"][half:])
        assert (text + rest, tag) == (case["ct"], case["tag"]), case["alg"]


def nist_blocks(path):
    """Entries of NIST's known-answer text: (key, plaintext, ciphertext)."""
    values, entries = {}, []
    for line in path.read_text().splitlines():
        match = re.fullmatch(r"(KEYSIZE|I|KEY|PT|CT)=([0-9A-Fa-f]*)\s*", line)
        if not match:
            continue
        name, value = match.groups()
        if name == "KEYSIZE":
            values = {}
        elif name != "I":
            values[name] = bytes.fromhex(value)
            # The last line of an entry is its result; what is common to a section stands at its head.
            if name == "CT" and "KEY" in values and "PT" in values:
                entries.append((values["KEY"], values["PT"], values["CT"]))
    return entries


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in VECTORS.glob("*/ecb_vt.txt")))
def test_known_answers(folder):
    """Every cipher's variable-text answers, with every strategy that runs here."""
    entries = nist_blocks(VECTORS / folder / "ecb_vt.txt")
    assert len(entries) >= 128
    for strategy in roundel.strategies(folder):
        if not strategy["available"]:
            continue
        chosen = entries if strategy["name"] != "reference" else entries[::16]
        for key, plain, cipher in chosen:
            ecb = roundel.new(folder, key, mode="ecb", strategy=strategy["name"])
            assert ecb.strategy == strategy["name"]
            assert ecb.encrypt(plain) == cipher, (folder, strategy["name"])
            assert ecb.decrypt(cipher) == plain, (folder, strategy["name"])


def text(length):
    """The text of vectors/seal/README.md."""
    return bytes((i * i + i // 256) % 256 for i in range(length))


def recipients_files():
    return [path for path in (VECTORS / "seal" / "ok").iterdir() if not path.name.startswith(("bare-", "passphrase-"))]


@pytest.mark.parametrize("path", sorted(recipients_files()), ids=lambda path: path.name)
def test_sealed_files(path):
    length = int(path.stem.rsplit("-", 1)[1])
    identity = VECTORS / "seal" / "key.txt"
    assert roundel.open(path, identities=identity) == text(length)
    assert roundel.open(path.read_bytes(), identities=identity) == text(length)
    with roundel.open_sealed(path, identity) as file:
        assert file.read() == text(length)
    assert roundel.check(path, identities=identity).text_bytes == length


EXCEPTIONS = {
    "12": roundel.WrongKeyError,
    "20": roundel.DamagedError,
    "21": roundel.TruncatedError,
}


@pytest.mark.parametrize("path", sorted((VECTORS / "seal" / "must_fail").iterdir()), ids=lambda path: path.name)
def test_sealed_files_that_must_fail(path, tmp_path):
    identity = VECTORS / "seal" / "key.txt"
    expected = EXCEPTIONS[path.name[:2]]
    target = tmp_path / "target"
    for way in (
        lambda: roundel.open(path, identities=identity),
        lambda: roundel.open(path, target, identities=identity),
        lambda: roundel.check(path, identities=identity),
    ):
        with pytest.raises(expected) as caught:
            way()
        # Truncation is a kind of damage; nothing else is one of the other.
        assert type(caught.value) is expected, str(caught.value)
        assert not target.exists()


def test_passphrase():
    path = VECTORS / "seal" / "ok" / "passphrase-100.sealed"
    assert roundel.open(path, passphrase="roundel") == text(100)
    with pytest.raises(roundel.WrongKeyError, match="passphrase is wrong"):
        roundel.open(path, passphrase="Roundel")
