"""Properties that hold for every input, with hypothesis."""

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import roundel

CIPHERS = ["aes", "serpent", "twofish", "rc6"]
key = st.binary(min_size=32, max_size=32)
few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
cuts = st.lists(st.integers(0, 3000), max_size=6)


def parts(data, cuts):
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[a:b] for a, b in zip(edges, edges[1:], strict=False)]


@few
@given(st.sampled_from(CIPHERS), key, st.binary(min_size=16, max_size=16), st.binary(max_size=3000), cuts)
def test_ctr_in_parts(cipher, key, iv, data, cuts):
    whole = roundel.encrypt(cipher, key, data, mode="ctr", iv=iv)
    stream = roundel.new(cipher, key, mode="ctr", iv=iv)
    assert b"".join(stream.encrypt(part) for part in parts(data, cuts)) == whole
    assert roundel.decrypt(cipher, key, whole, mode="ctr", iv=iv) == data


@few
@given(st.sampled_from(CIPHERS), key, st.binary(min_size=16, max_size=16), st.binary(max_size=3000), cuts)
def test_cbc_in_parts(cipher, key, iv, data, cuts):
    data, cuts = data[: len(data) // 16 * 16], [cut // 16 * 16 for cut in cuts]
    whole = roundel.encrypt(cipher, key, data, mode="cbc", iv=iv)
    stream = roundel.new(cipher, key, mode="cbc", iv=iv)
    assert b"".join(stream.encrypt(part) for part in parts(data, cuts)) == whole
    stream = roundel.new(cipher, key, mode="cbc", iv=iv)
    room = bytearray(len(data))
    at = 0
    for part in parts(whole, cuts):
        at += stream.decrypt_into(part, memoryview(room)[at:])
    assert room == data


@few
@given(st.sampled_from(CIPHERS), key, st.binary(min_size=1, max_size=40), st.binary(max_size=3000), st.binary(max_size=60), st.data())
def test_gcm_notices_every_bit(cipher, key, nonce, data, aad, draw):
    gcm = roundel.Gcm(cipher, key)
    sealed = gcm.encrypt(nonce, data, aad)
    assert gcm.decrypt(nonce, sealed, aad) == data
    changed = bytearray(sealed)
    bit = draw.draw(st.integers(0, 8 * len(sealed) - 1))
    changed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(roundel.AuthenticationError):
        gcm.decrypt(nonce, changed, aad)


PAIR = roundel.keygen()


@settings(few, max_examples=40)
@given(st.binary(max_size=100), st.integers(0, 70_000), st.data())
def test_sealed_ranges(seed, length, draw):
    data = (seed * (length // max(len(seed), 1) + 1))[:length] if seed else bytes(length)
    sealed = roundel.seal(data, recipients=PAIR.public)
    assert roundel.open(sealed, identities=PAIR.secret) == data
    with roundel.open_sealed(sealed, PAIR.secret) as ours:
        theirs = io.BytesIO(data)
        for _ in range(5):
            at = draw.draw(st.integers(0, length + 10))
            count = draw.draw(st.integers(0, 20_000))
            assert ours.seek(at) == theirs.seek(at)
            assert ours.read(count) == theirs.read(count)
            assert ours.tell() == theirs.tell()


@settings(few, max_examples=40)
@given(st.integers(0, 40_000), st.data())
def test_sealed_data_notices_every_bit(length, draw):
    data = bytes(length)
    sealed = bytearray(roundel.seal(data, recipients=PAIR.public))
    bit = draw.draw(st.integers(0, 8 * len(sealed) - 1))
    sealed[bit // 8] ^= 1 << bit % 8
    with pytest.raises((roundel.DamagedError, roundel.WrongKeyError, roundel.ParameterError)):
        roundel.open(sealed, identities=PAIR.secret)
