"""AES-256 in CTR and GCM beside `cryptography` (OpenSSL), in one process: `python tests/speed.py` (needs `cryptography`).

CPU time of the thread, best of many repetitions, the two libraries in turn. "in place" begins where the data begins; "copy" writes into
another buffer; "bytes" returns a new object, of which the system's page faults are the larger part when it is long.
"""

import os
import time
from collections.abc import Callable

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import roundel

KEY, NONCE, BLOCK = os.urandom(32), os.urandom(12), os.urandom(16)
OURS, THEIRS = roundel.Gcm("aes", KEY), AESGCM(KEY)


def best(*calls: Callable[[], object], calls_each: int, rounds: int) -> list[float]:
    """Nanoseconds of each call."""
    fastest = [float("inf")] * len(calls)
    for _ in range(rounds):
        for number, call in enumerate(calls):
            began = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
            for _ in range(calls_each):
                call()
            spent = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID) - began
            fastest[number] = min(fastest[number], spent / calls_each)
    return fastest


def line(name: str, size: int, ours: float, theirs: float) -> None:
    print(f"{name:<16} {size:>9} {ours:>12.0f} {theirs:>12.0f} {size / ours:>8.2f} {size / theirs:>8.2f} {theirs / ours:>6.2f}")


def short(size: int) -> None:
    data = os.urandom(size)
    sealed = THEIRS.encrypt(NONCE, data, None)
    assert OURS.encrypt(NONCE, data) == sealed and OURS.decrypt(NONCE, sealed) == data
    calls = 20_000 if size < 1000 else 5_000
    line("gcm encrypt", size, *best(lambda: OURS.encrypt(NONCE, data), lambda: THEIRS.encrypt(NONCE, data, None), calls_each=calls, rounds=20))
    line("gcm decrypt", size, *best(lambda: OURS.decrypt(NONCE, sealed), lambda: THEIRS.decrypt(NONCE, sealed, None), calls_each=calls, rounds=20))


def long(size: int) -> None:
    data, room, spare = bytearray(os.urandom(size)), bytearray(size + 16), bytearray(size + 15)
    text = memoryview(room)[:size]
    ctr = roundel.new("aes", KEY, mode="ctr", iv=BLOCK)
    peer = Cipher(algorithms.AES(KEY), modes.CTR(BLOCK)).encryptor()
    assert ctr.encrypt(data) == peer.update(data)
    calls, rounds = max(1, (4 << 20) // size), 15
    pairs = {
        "ctr in place": (lambda: ctr.encrypt_into(text, text), lambda: peer.update_into(data, spare)),
        "ctr copy": (lambda: ctr.encrypt_into(data, text), lambda: peer.update_into(data, spare)),
        "ctr bytes": (lambda: ctr.encrypt(data), lambda: peer.update(data)),
        "gcm in place": (lambda: OURS.encrypt_into(NONCE, text, None, room), lambda: THEIRS.encrypt_into(NONCE, data, None, room)),
        "gcm copy": (lambda: OURS.encrypt_into(NONCE, data, None, room), lambda: THEIRS.encrypt_into(NONCE, data, None, room)),
        "gcm bytes": (lambda: OURS.encrypt(NONCE, data), lambda: THEIRS.encrypt(NONCE, data, None)),
    }
    for name, (ours, theirs) in pairs.items():
        line(name, size, *best(ours, theirs, calls_each=calls, rounds=rounds))


if __name__ == "__main__":
    print(f"strategy {OURS.strategy}\n{'':<16} {'bytes':>9} {'ours ns':>12} {'theirs ns':>12} {'GB/s':>8} {'GB/s':>8} {'ratio':>6}")
    for size in (16, 256, 4096):
        short(size)
    for size in (1 << 20, 64 << 20):
        long(size)
