"""The registry, its proof and its measurement, as plain records that `pandas.DataFrame` takes."""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Iterable
from typing import Any

from . import _roundel
from .errors import ParameterError

__all__ = ["bench", "ciphers", "strategies", "verify"]

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
