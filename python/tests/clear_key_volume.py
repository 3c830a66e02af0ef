"""A BitLocker volume with a clear key, written from the format's description with `cryptography`'s CCM and XTS: nothing of it is roundel's."""

import hashlib
import os
import struct
import zlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

SECTOR, SIZE = 512, 288 << 10
AREA, BOOT_BYTES = 64 << 10, 8 << 10
#: Where the three copies of the metadata are, and behind them the first 8 KiB of the text, since the volume's own boot sector has their place.
COPIES = [16 << 10, 80 << 10, 144 << 10]
RELOCATED = 208 << 10
XTS_AES_256 = 0x8005
GUID = bytes.fromhex("3bd66749292ed84a8399f6a339e3d001")


def _datum(role: int, kind: int, *body: bytes) -> bytes:
    joined = b"".join(body)
    return struct.pack("<4H", 8 + len(joined), role, kind, 1) + joined


def _key(method: int, key: bytes) -> bytes:
    return _datum(0, 1, struct.pack("<2H", method, 0), key)


def _sealed(role: int, under: bytes, plain: bytes) -> bytes:
    nonce = os.urandom(12)
    both = AESCCM(under, tag_length=16).encrypt(nonce, plain, None)
    return _datum(role, 5, nonce, both[-16:], both[:-16])


def _metadata(clear: bytes, under: bytes, vmk: bytes, fvek: bytes) -> bytes:
    protector = os.urandom(16) + bytes(12)  # its GUID, no time, kind 0: a clear key
    datums = b"".join(
        [
            _datum(15, 15, struct.pack("<2Q", RELOCATED, BOOT_BYTES)),
            _datum(2, 8, protector, _key(0x2000, clear), _sealed(0, under, _key(0x2003, vmk))),
            _sealed(3, vmk, _key(XTS_AES_256, fvek)),
        ]
    )
    data_set = 48 + len(datums)
    size = (64 + data_set + 15) // 16 * 16
    head = b"-FVE-FS-" + struct.pack("<4HQ2I", size // 16, 2, 4, 4, SIZE, 0, BOOT_BYTES // SECTOR)
    head += struct.pack("<4Q4I", *COPIES, RELOCATED, data_set, 1, 48, data_set)
    head += os.urandom(16) + struct.pack("<I2HQ", 10, XTS_AES_256, 0, 0)
    covered = (head + datums).ljust(size, b"\0")
    validation = _sealed(0, vmk, _key(0x2005, hashlib.sha256(covered).digest()))
    return covered + struct.pack("<2HI", 88, 2, zlib.crc32(covered)) + validation


def make(*, right_key: bool = True) -> tuple[bytes, bytes]:
    """The image, and the text that reading it must give; without `right_key` the clear key in it is not the one that the master key is sealed under."""
    clear, vmk, fvek = os.urandom(32), os.urandom(32), os.urandom(64)
    text = bytearray(os.urandom(SIZE))
    text[:11] = b"\xeb\x52\x90NTFS    "
    # What holds metadata, and the place that the first 8 KiB were moved to, reads as zeros.
    for start, length in [*((copy, AREA) for copy in COPIES), (RELOCATED, BOOT_BYTES)]:
        text[start : start + length] = bytes(length)

    def encrypted(start: int, place: int) -> bytes:
        tweak = (place // SECTOR).to_bytes(16, "little")
        return Cipher(algorithms.AES(fvek), modes.XTS(tweak)).encryptor().update(bytes(text[start : start + SECTOR]))

    image = bytearray(b"".join(encrypted(at, at) for at in range(0, SIZE, SECTOR)))
    image[RELOCATED : RELOCATED + BOOT_BYTES] = b"".join(encrypted(at, RELOCATED + at) for at in range(0, BOOT_BYTES, SECTOR))
    metadata = _metadata(clear, clear if right_key else os.urandom(32), vmk, fvek)
    for copy in COPIES:
        image[copy : copy + len(metadata)] = metadata
    boot = bytearray(SECTOR)
    boot[:13] = b"\xeb\x58\x90-FVE-FS-" + struct.pack("<H", SECTOR)
    boot[13] = 8  # sectors to a cluster
    boot[160:200] = GUID + struct.pack("<3Q", *COPIES)
    boot[510:] = b"\x55\xaa"
    image[:SECTOR] = boot
    return bytes(image), bytes(text)
