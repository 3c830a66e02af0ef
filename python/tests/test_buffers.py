"""Buffers: every kind of object, in place, overlapping, wrong tags, references, threads."""

import array
import gc
import mmap
import sys
import threading

import numpy as np
import pyarrow as pa
import pytest

import roundel

KEY = bytes(range(32))
NONCE = bytes(12)
SIZES = [0, 1, 15, 16, 17, 4096, 16_384, 16_400, 70_001]


def pattern(size):
    return bytes(i * i % 256 for i in range(size))


def ctr():
    return roundel.new("aes", KEY, mode="ctr", nonce=NONCE)


def test_any_buffer():
    data = pattern(4096)
    expected = ctr().encrypt(data)
    anonymous = mmap.mmap(-1, len(data))
    anonymous[:] = data
    for lent in (
        bytearray(data),
        memoryview(data),
        memoryview(bytearray(b"x" + data))[1:],
        np.frombuffer(data, np.uint8),
        np.frombuffer(data, np.float64).reshape(16, -1),
        pa.py_buffer(data),
        array.array("L", data),
        anonymous,
    ):
        assert ctr().encrypt(lent) == expected
        assert roundel.Gcm("aes", lent if len(lent) == 32 else KEY).encrypt(NONCE, lent)[:-16]


def test_what_is_no_buffer():
    with pytest.raises(TypeError):
        ctr().encrypt("text")
    with pytest.raises((BufferError, ValueError)):
        ctr().encrypt(np.zeros((16, 16), np.uint8)[:, ::2])
    with pytest.raises((BufferError, TypeError, ValueError)):
        ctr().encrypt_into(b"data", bytes(4))
    frozen = np.zeros(16, np.uint8)
    frozen.flags.writeable = False
    with pytest.raises((BufferError, ValueError)):
        ctr().encrypt_into(b"data", frozen)


@pytest.mark.parametrize("size", SIZES)
def test_into(size):
    data = pattern(size)
    expected = ctr().encrypt(data)
    guarded = bytearray(b"\xa5" * (size + 32))
    assert ctr().encrypt_into(data, memoryview(guarded)[16:]) == size
    assert guarded[16 : 16 + size] == expected
    assert set(guarded[:16] + guarded[16 + size :]) == {0xA5}

    in_place = np.frombuffer(bytearray(data), np.uint8)
    assert ctr().encrypt_into(in_place, in_place) == size
    assert in_place.tobytes() == expected
    assert ctr().decrypt_into(in_place, in_place) == size
    assert in_place.tobytes() == data


@pytest.mark.parametrize("mode", ["ecb", "cbc", "xts"])
def test_into_in_other_modes(mode):
    key = KEY + KEY[::-1] if mode == "xts" else KEY
    given = {"iv": bytes(16)} if mode == "cbc" else {}
    for size in (16, 512, 16_384, 65_536 + 512):
        data = pattern(size)
        expected = roundel.encrypt("serpent", key, data, mode=mode, **given)
        new = lambda: roundel.new("serpent", key, mode=mode, **given)  # noqa: E731
        apart, in_place = bytearray(size), bytearray(data)
        assert new().encrypt_into(data, apart) == size
        assert new().encrypt_into(in_place, in_place) == size
        assert apart == in_place == expected
        assert new().decrypt_into(expected, apart) == size
        assert new().decrypt_into(in_place, in_place) == size
        assert apart == in_place == data


@pytest.mark.parametrize("size", SIZES)
def test_gcm_into(size):
    gcm = roundel.Gcm("aes", KEY)
    data = pattern(size)
    sealed = gcm.encrypt(NONCE, data, b"aad")
    guarded = bytearray(b"\xa5" * (size + 48))
    assert gcm.encrypt_into(NONCE, data, b"aad", memoryview(guarded)[16:]) == size + 16
    assert guarded[16 : 32 + size] == sealed
    assert set(guarded[:16] + guarded[32 + size :]) == {0xA5}

    # In place: text, room for the tag behind it; then back.
    room = bytearray(data + bytes(16))
    assert gcm.encrypt_into(NONCE, memoryview(room)[:size], b"aad", room) == size + 16
    assert room == sealed
    assert gcm.decrypt_into(NONCE, room, b"aad", room) == size
    assert room[:size] == data and room[size:] == sealed[size:]


@pytest.mark.parametrize("size", SIZES)
def test_a_wrong_tag_releases_nothing(size):
    gcm = roundel.Gcm("aes", KEY)
    wrong = bytearray(gcm.encrypt(NONCE, pattern(size), b"aad"))
    wrong[-1] ^= 1
    guarded = bytearray(b"\xa5" * (size + 2))
    with pytest.raises(roundel.AuthenticationError):
        gcm.decrypt_into(NONCE, wrong, b"aad", memoryview(guarded)[1:-1])
    assert guarded == b"\xa5" + bytes(size) + b"\xa5"
    in_place = bytearray(wrong)
    with pytest.raises(roundel.AuthenticationError):
        gcm.decrypt_into(NONCE, in_place, b"aad", in_place)
    assert in_place == bytes(size) + wrong[size:]


def test_overlap_is_refused():
    gcm = roundel.Gcm("aes", KEY)
    memory = bytearray(pattern(200))
    before = bytes(memory)
    view = memoryview(memory)
    for attempt in (
        lambda: ctr().encrypt_into(view[:100], view[1:101]),
        lambda: ctr().encrypt_into(view[1:101], view[:100]),
        lambda: ctr().encrypt_into(view[99:199], view[:100]),
        lambda: gcm.encrypt_into(NONCE, view[116:130], None, view[100:130]),
        lambda: gcm.encrypt_into(NONCE, b"data", view[10:20], view[:30]),
        lambda: gcm.encrypt_into(view[:12], b"data", None, view[:30]),
        lambda: gcm.decrypt_into(NONCE, view[16:100], None, view[:100]),
    ):
        with pytest.raises(roundel.ParameterError, match="overlaps"):
            attempt()
    assert memory == before
    # Neighbours do not overlap.
    assert ctr().encrypt_into(view[:100], view[100:]) == 100
    assert gcm.encrypt_into(NONCE, view[:14], view[44:60], view[14:44]) == 30


def test_a_short_buffer_is_refused():
    gcm = roundel.Gcm("aes", KEY)
    with pytest.raises(roundel.ParameterError, match="needs 20"):
        gcm.encrypt_into(NONCE, b"data", None, bytearray(19))
    with pytest.raises(roundel.ParameterError, match="needs 4"):
        ctr().encrypt_into(b"data", bytearray(3))


def test_results_do_not_share_memory():
    assert ctr().encrypt(b"") == b""
    data = bytearray(b"data")
    first = ctr().encrypt(data)
    data[0] ^= 1
    assert ctr().encrypt(b"data") == first


def test_buffers_are_given_back():
    """After a call, also one that failed, nobody holds the buffers: a bytearray can be resized, and references are as before."""
    gcm = roundel.Gcm("aes", KEY)
    data, room, aad = bytearray(pattern(100)), bytearray(300), bytearray(b"aad")
    objects = (data, room, aad, gcm)
    counts = [sys.getrefcount(one) for one in objects]
    for _ in range(100):
        gcm.encrypt(NONCE, data, aad)
        gcm.encrypt_into(NONCE, data, aad, room)
        ctr().encrypt_into(data, room)
        for attempt in (
            lambda: gcm.decrypt(NONCE, data, aad),
            lambda: gcm.decrypt_into(NONCE, data, aad, room),
            lambda: gcm.encrypt_into(NONCE, data, room, room),
            lambda: gcm.encrypt(b"", data),
            lambda: gcm.encrypt(NONCE, data, "text"),
        ):
            with pytest.raises((roundel.RoundelError, TypeError)):
                attempt()
    gc.collect()
    assert [sys.getrefcount(one) for one in objects] == counts
    for one in (data, room, aad):
        one.append(0)


def test_memory_does_not_grow():
    """Failed calls free what they had allocated."""
    import resource

    gcm, wrong = roundel.Gcm("aes", KEY), bytes(1 << 20)

    def fail(times):
        for _ in range(times):
            with pytest.raises(roundel.AuthenticationError):
                gcm.decrypt(NONCE, wrong)

    fail(10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fail(200)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 << 10


def hammer(work, threads=8):
    """Runs `work(number)` on threads that start together; raises the first error."""
    errors, barrier = [], threading.Barrier(threads)

    def run(number):
        barrier.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("size", [100, 50_000])
def test_threads_on_one_gcm(size):
    gcm = roundel.Gcm("aes", KEY)

    def work(number):
        nonce = number.to_bytes(12, "big")
        data = bytes([number]) * size
        sealed = gcm.encrypt(nonce, data)
        room = bytearray(size)
        for _ in range(50):
            assert gcm.encrypt(nonce, data) == sealed
            assert gcm.decrypt_into(nonce, sealed, None, room) == size
            assert room == data

    hammer(work)


@pytest.mark.parametrize("mode", ["ctr", "cbc"])
@pytest.mark.parametrize("size", [96, 9600])
def test_threads_on_one_stream(mode, size):
    """Each call gets a part of the stream of its own: together the threads get exactly the stream."""
    new = lambda: roundel.new("aes", KEY, mode=mode, iv=bytes(16))  # noqa: E731
    cipher, parts = new(), []

    def work(_):
        for _ in range(40):
            parts.append(cipher.encrypt(bytes(size)))

    hammer(work)
    whole = new().encrypt(bytes(size * len(parts)))
    assert sorted(parts) == sorted(whole[at : at + size] for at in range(0, len(whole), size))


def test_threads_on_one_message():
    message = roundel.new("aes", KEY, mode="gcm", nonce=NONCE)
    parts = []

    def work(_):
        for _ in range(20):
            parts.append(message.encrypt(bytes(8192)))

    hammer(work)
    expected = roundel.Gcm("aes", KEY).encrypt(NONCE, bytes(8192 * len(parts)))
    assert message.digest() == expected[-16:]
    assert sorted(parts) == sorted(expected[at : at + 8192] for at in range(0, len(expected) - 16, 8192))


def test_the_gil_is_released():
    """While a long call runs on another thread, this one goes on."""
    big = bytearray(256 << 20)
    cipher = roundel.new("serpent", KEY, mode="ctr", nonce=NONCE, strategy="reference")
    began, ended = threading.Event(), threading.Event()

    def work():
        began.set()
        cipher.encrypt_into(memoryview(big)[: 8 << 20], big)
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    turns = 0
    while not ended.is_set():
        turns += 1
    thread.join()
    assert turns > 1000
