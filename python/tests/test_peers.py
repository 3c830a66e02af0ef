"""The same results as `cryptography` (OpenSSL) and PyCryptodome."""

import random

from Crypto.Cipher import AES as PyCryptodome
from Crypto.Util import Counter
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import roundel

RANDOM = random.Random(20261122)
LENGTHS = [0, 1, 15, 16, 17, 255, 256, 4096, 16_383, 16_384, 16_385, 100_000]


def cases():
    for length in LENGTHS:
        for key_bytes in (16, 24, 32):
            yield RANDOM.randbytes(key_bytes), RANDOM.randbytes(16), RANDOM.randbytes(length)


def test_ctr():
    for key, iv, data in cases():
        ours = roundel.encrypt("aes", key, data, mode="ctr", iv=iv)
        assert ours == Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)
        counter = Counter.new(128, initial_value=int.from_bytes(iv, "big"), allow_wraparound=True)
        assert ours == PyCryptodome.new(key, PyCryptodome.MODE_CTR, counter=counter).encrypt(data)


def test_a_short_nonce_is_pycryptodomes():
    for key, iv, data in cases():
        theirs = PyCryptodome.new(key, PyCryptodome.MODE_CTR, nonce=iv[:8]).encrypt(data)
        assert roundel.new("aes", key, mode="ctr", nonce=iv[:8]).encrypt(data) == theirs


def test_cbc_and_ecb():
    for key, iv, data in cases():
        data = data[: len(data) // 16 * 16]
        ours = roundel.encrypt("aes", key, data, mode="cbc", iv=iv)
        assert ours == PyCryptodome.new(key, PyCryptodome.MODE_CBC, iv=iv).encrypt(data)
        assert roundel.decrypt("aes", key, ours, mode="cbc", iv=iv) == data
        ours = roundel.encrypt("aes", key, data, mode="ecb")
        assert ours == PyCryptodome.new(key, PyCryptodome.MODE_ECB).encrypt(data)


def test_xts():
    for key_bytes in (32, 64):
        for length in (16, 17, 31, 512, 4095, 4096):
            key, unit, data = RANDOM.randbytes(key_bytes), RANDOM.getrandbits(64), RANDOM.randbytes(length)
            ours = roundel.encrypt("aes", key, data, mode="xts", unit_bytes=length, unit=unit)
            tweak = unit.to_bytes(16, "little")
            assert ours == Cipher(algorithms.AES(key), modes.XTS(tweak)).encryptor().update(data)


def test_gcm():
    for key, nonce, data in cases():
        aad = RANDOM.randbytes(RANDOM.randrange(100))
        for nonce in (nonce[:12], nonce):
            ours = roundel.Gcm("aes", key).encrypt(nonce, data, aad)
            assert ours == AESGCM(key).encrypt(nonce, data, aad)
            theirs = PyCryptodome.new(key, PyCryptodome.MODE_GCM, nonce=nonce)
            theirs.update(aad)
            message = roundel.new("aes", key, mode="gcm", nonce=nonce)
            message.update(aad)
            assert message.encrypt_and_digest(data) == theirs.encrypt_and_digest(data)
            assert AESGCM(key).decrypt(nonce, ours, aad) == data == roundel.Gcm("aes", key).decrypt(nonce, ours, aad)
