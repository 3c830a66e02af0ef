"""The registry, its proof and its measurement, as plain records that `pandas.DataFrame` takes."""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Iterable
from typing import Any

from . import _roundel
from .errors import ParameterError

__all__ = ["bench", "ciphers", "plan", "predict", "strategies", "verify"]

Record = dict[str, Any]


@functools.cache
def _registry() -> list[Record]:
    registry: list[Record] = json.loads(_roundel.ciphers())
    return registry


def ciphers() -> list[Record]:
    """All ciphers: name, aliases, title, block_bits, key_bits, standing ("sound", "unreviewed" or "broken") and more."""
    return [{key: value for key, value in cipher.items() if key != "strategies"} for cipher in _registry()]


def strategies(cipher: str | None = None) -> list[Record]:
    """All strategies, or those of a cipher: what each needs, whether it runs here and in constant time, its memory."""
    chosen = _registry() if cipher is None else [_find(cipher)]
    return [{"cipher": entry["name"], **strategy} for entry in chosen for strategy in entry["strategies"]]


def block_bytes(cipher: str) -> int:
    """Bytes of a cipher's block."""
    return int(_find(cipher)["block_bits"]) // 8


def _find(cipher: str) -> Record:
    for entry in _registry():
        if cipher == entry["name"] or cipher in entry["aliases"]:
            return entry
    raise ParameterError(f"there is no cipher '{cipher}': roundel.ciphers() gives them all")


def _names(names: str | Iterable[str] | None) -> list[str]:
    return [] if names is None else [names] if isinstance(names, str) else list(names)


def verify(
    ciphers: str | Iterable[str] | None = None,
    *,
    strategy: str | None = None,
    depth: str = "quick",
    threads: int = 0,
) -> Record:
    """Verifies strategies against the published vectors that are built in, and gives the report of `roundel verify --json`.

    `report["totals"]` has the keys passed, failed and unavailable; `report["rows"]` is a list of records. `depth` is "quick", "usual" (the Monte
    Carlo chains in full on the fastest strategy of each cipher) or "full".
    """
    report: Record = json.loads(_roundel.verify(_names(ciphers), strategy, depth, threads))
    return report


def bench(
    ciphers: str | Iterable[str] | None = None,
    *,
    strategies: str | Iterable[str] | None = None,
    modes: str | Iterable[str] | None = None,
    sizes: Iterable[int] = (),
    key_bits: Iterable[int] = (),
    cores: str = "one",
    effort: str = "quick",
) -> list[Record]:
    """Proves, then times strategies; gives a record for each point that was measured.

    `modes` are key, ecb, cbc, ctr, gcm, xts, sectors and fresh. `cycles_per_byte` and `ns_per_call` are medians; figures of one core are CPU time.
    """
    result = json.loads(
        _roundel.bench(
            _names(ciphers), _names(strategies), _names(modes), list(sizes), list(key_bits), cores, effort
        )
    )
    return [_point(point, result["contenders"]) for point in result["points"]]


def _point(point: Record, contenders: list[Record]) -> Record:
    contender = contenders[point["contender"]] if point["contender"] is not None else {}
    ns = statistics.median(point["ns"])
    cycles = statistics.median(ns * ghz for ns, ghz in zip(point["ns"], point["ghz"], strict=True))
    size, threads = point["bytes"], max(point["threads"], 1)
    return {
        "cipher": contender.get("cipher"),
        "strategy": contender.get("strategy", "copy"),
        "constant_time": contender.get("constant_time"),
        "key_bits": point["key_bits"],
        "operation": point["operation"],
        "bytes": size,
        "threads": point["threads"],
        "ns_per_call": ns,
        "cycles_per_byte": cycles / size if size else None,
        "gigabytes_per_second": size * threads / ns if size else None,
        "samples": len(point["ns"]),
    }


def plan(
    message_bytes: int,
    cipher: str = "aes",
    *,
    mode: str = "ctr",
    key_bits: int = 128,
    decrypt: bool = False,
    messages_per_key: int | None = None,
    cold: bool = False,
    cores: int = 0,
    allow_timing_leaks: bool = False,
) -> list[Record]:
    """What would run for a message: a record for each strategy, the plan first (`planned`), then the others, cheapest first.

    `mode` is ecb, cbc, ctr, gcm, xts, hash or seal. Without `messages_per_key` the key is there already; 1 means a fresh key for each message. `cold`
    expects tables to have left the caches; `cores` 0 means all. `excluded` says why a strategy may not run, `measured` whether `roundel tune` has
    measured this machine: otherwise costs are built-in estimates.
    """
    answer = json.loads(
        _roundel.plan(
            cipher, message_bytes, mode, key_bits, decrypt, messages_per_key, cold, cores, allow_timing_leaks
        )
    )
    question = {"cipher": cipher, "mode": mode, "key_bits": key_bits, "bytes": message_bytes}
    return [
        {**question, **way, "planned": way is answer["plan"], "measured": answer["measured"]}
        for way in [answer["plan"], *answer["others"]]
    ]


def predict(
    sizes: int | Iterable[int],
    cipher: str = "aes",
    *,
    mode: str = "seal",
    key_bits: int = 128,
    decrypt: bool = False,
    cores: int | Iterable[int] = 0,
    price: float | None = None,
    allow_timing_leaks: bool = False,
) -> list[Record]:
    """How long so many bytes will take: a record for each length and number of cores (0 means all, more than there are is extrapolated).

    `uncertainty` is the share by which `seconds` may be off, nine times in ten; None where `roundel tune` has not measured this machine. With `price`, of
    a core for an hour, `cost_per_terabyte` is in its unit.
    """
    lengths = [sizes] if isinstance(sizes, int) else list(sizes)
    counts = [cores] if isinstance(cores, int) else list(cores)
    answer: list[Record] = json.loads(
        _roundel.predict(lengths, cipher, mode, key_bits, decrypt, counts, price, allow_timing_leaks)
    )
    return [{"cipher": cipher, "mode": mode, "key_bits": key_bits, **prediction} for prediction in answer]
