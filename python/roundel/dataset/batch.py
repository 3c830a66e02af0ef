"""The work on a batch of objects: what a worker of any engine calls.

Each object is done by itself: one that fails is reported and the others go on. A finished object is recognised, so that a batch may be run any
number of times, and appears under its name whole: a killed worker leaves nothing there.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from .. import sealed
from ..errors import DamagedError, RoundelError
from .places import Options, Place

__all__ = ["SUFFIX", "Result", "open_batch", "seal_batch"]

#: What a sealed object's name ends in.
SUFFIX = ".rndl"

#: A header with a few recipients fits; a longer one is read in full.
HEAD_BYTES = 16 << 10
MAX_HEADER_BYTES = 1 << 20
#: Salt and commitment before the chunks, bytes of a chunk and of its tag (docs/FORMAT.md).
START_BYTES, CHUNK_BYTES, TAG_BYTES = 56, 16 << 10, 16


@dataclass(frozen=True)
class Result:
    """What became of an object."""

    source: str
    target: str
    status: Literal["done", "present", "failed"]
    """Done now; there already from an earlier run, and whole; or failed."""
    text_bytes: int = 0
    sealed_bytes: int = 0
    seconds: float = 0.0
    error: str | None = None
    worker: str = ""

    def record(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Job:
    """What is the same for all objects of a dataset; plain data, and no secret in it."""

    out: str
    base: str | None = None
    columns: tuple[str, ...] = ()
    """If there are any: objects are Parquet files, of which these columns are encrypted."""
    source_options: Options = None
    target_options: Options = None
    cipher: str = "aes"
    key_bits: int = 256
    threads: int = 1
    sync: bool = True
    replace: bool = False
    """Does everything again, and replaces whatever has a target's name."""
    name: str = field(default_factory=lambda: os.urandom(6).hex())

    def target(self, source: Place, sealing: bool) -> Place:
        base = Place.of(self.base, self.source_options) if self.base else source.parent()
        name = source.relative_to(base)
        if not self.columns:
            name = name + SUFFIX if sealing else name.removesuffix(SUFFIX)
        return Place.of(self.out, self.target_options).child(name)


def seal_batch(
    paths: Sequence[str],
    recipients: Sequence[str],
    out: str,
    *,
    base: str | None = None,
    job: Job | None = None,
    **options: Any,
) -> list[Result]:
    """Seals each object of `paths` (URLs or local paths) for `recipients` into the folder `out`, under its name in `base` and `.rndl`.

    An object that is there already is recognised by its header (checksum and length), the length of its plaintext and its age, and left alone.
    `options` are the fields of :class:`Job`: `columns=`, `source_options=`, `target_options=`, `threads=`, ...
    """
    job = job or Job(os.fspath(out), base, **options)
    keys = sealed.recipient_keys(recipients)
    work = _seal_columns if job.columns else _seal_object
    return _each(paths, job, True, lambda source, target: work(source, target, keys, job))


def open_batch(
    paths: Sequence[str],
    identities: Sequence[str],
    out: str,
    *,
    base: str | None = None,
    job: Job | None = None,
    **options: Any,
) -> list[Result]:
    """Opens each sealed object of `paths` into the folder `out`. `identities` are paths of key files on the machine that runs this."""
    job = job or Job(os.fspath(out), base, **options)
    keys = [_identity(path) for path in identities]
    work = _open_columns if job.columns else _open_object
    return _each(paths, job, False, lambda source, target: work(source, target, keys, job))


def _identity(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read()


Work = Callable[[Place, Place], Result]


def _each(paths: Sequence[str], job: Job, sealing: bool, work: Work) -> list[Result]:
    worker = f"{socket.gethostname()}:{os.getpid()}"
    results = []
    for path in paths:
        began = time.perf_counter()
        source, target = str(path), ""
        try:
            place = Place.of(path, job.source_options)
            aim = job.target(place, sealing)
            source, target = place.url, aim.url
            aim.parent().make_folder()
            try:
                result = work(place, aim)
            except FileExistsError:
                # Another worker was faster with the same object: it is there now, and recognised.
                result = work(place, aim)
        except Exception as error:
            result = Result(source, target, "failed", error=f"{type(error).__name__}: {error}")
        seconds = round(time.perf_counter() - began, 6)
        results.append(Result(**{**result.record(), "seconds": seconds, "worker": worker}))
    return results


def _source_facts(source: Place) -> tuple[int, float | None]:
    facts = source.facts()
    if facts is None:
        raise FileNotFoundError(2, "there is no such object", source.url)
    return facts


def _up_to_date(source_time: float | None, target_time: float | None) -> bool:
    return source_time is None or target_time is None or source_time <= target_time


def _inspect(place: Place) -> sealed.Inspection:
    """The header of a sealed object. Its checksum has matched."""
    head = place.head(HEAD_BYTES)
    try:
        return sealed.inspect(head)
    except DamagedError:
        if len(head) < HEAD_BYTES:
            raise
    return sealed.inspect(place.head(MAX_HEADER_BYTES))


def _sealed_length(header: sealed.Inspection) -> int | None:
    if header.size is None:
        return None
    chunks = header.size // CHUNK_BYTES + 1
    return header.header_bytes + START_BYTES + header.size + TAG_BYTES * chunks


def _seal_object(source: Place, target: Place, recipients: list[str], job: Job) -> Result:
    size, changed = _source_facts(source)
    replace = job.replace
    there = None if replace else target.facts()
    if there is not None:
        if _is_sealed(target, there, size, changed):
            return Result(source.url, target.url, "present", size, there[0])
        replace = True
    with _reading(source) as data, _writing(target, job, replace) as path:
        report = sealed.seal(
            data,
            path,
            recipients=recipients,
            cipher=job.cipher,
            key_bits=job.key_bits,
            threads=job.threads,
            sync=job.sync,
            replace=replace,
        )
    return Result(source.url, target.url, "done", report.text_bytes, report.sealed_bytes)


def _is_sealed(target: Place, there: tuple[int, float | None], size: int, changed: float | None) -> bool:
    """Whether the target is the source, sealed whole. What is no sealed object at all is nobody's to replace."""
    try:
        header = _inspect(target)
    except DamagedError as error:
        raise RoundelError(f"{target.url} exists and is no whole sealed object: remove it, or choose another target") from error
    return header.size == size and _sealed_length(header) == there[0] and _up_to_date(changed, there[1])


def _open_object(source: Place, target: Place, identities: list[bytes], job: Job) -> Result:
    sealed_bytes, changed = _source_facts(source)
    replace = job.replace
    there = None if replace else target.facts()
    if there is not None:
        if _inspect(source).size == there[0] and _up_to_date(changed, there[1]):
            return Result(source.url, target.url, "present", there[0], sealed_bytes)
        replace = True
    with _reading(source) as data, _writing(target, job, replace) as path:
        report = sealed.open(
            data, path, identities=identities, threads=job.threads, sync=job.sync, replace=replace
        )
    return Result(source.url, target.url, "done", report.text_bytes, report.sealed_bytes)


def _seal_columns(source: Place, target: Place, recipients: list[str], job: Job) -> Result:
    from .. import columns

    def is_done() -> bool:
        with target.fs.open(target.path, "rb") as file, source.fs.open(source.path, "rb") as plain:
            there, wanted = _footer(file), _footer(plain)
            return there[0] == wanted[0] and there[1] == list(job.columns)

    def work(data: Any, path: str) -> None:
        columns.seal_parquet(data, path, job.columns, recipients)

    return _rewrite(source, target, job, is_done, work)


def _open_columns(source: Place, target: Place, identities: list[bytes], job: Job) -> Result:
    from .. import columns

    def is_done() -> bool:
        with target.fs.open(target.path, "rb") as file, source.fs.open(source.path, "rb") as data:
            there, wanted = _footer(file), _footer(data)
            return there[0] == wanted[0] and not there[1]

    def work(data: Any, path: str) -> None:
        columns.open_parquet(data, path, identities)

    return _rewrite(source, target, job, is_done, work)


def _footer(file: Any) -> tuple[int, list[str]]:
    """Rows and encrypted columns of a Parquet file. A footer is written last, so a file that has one is whole."""
    import pyarrow.parquet as pq

    from ..columns import sealed_columns

    with pq.ParquetFile(file) as table:
        return table.metadata.num_rows, sealed_columns(table.schema_arrow)


def _rewrite(source: Place, target: Place, job: Job, is_done: Callable[[], bool], work: Callable[[Any, str], None]) -> Result:
    size, changed = _source_facts(source)
    there = None if job.replace else target.facts()
    if there is not None and _up_to_date(changed, there[1]) and is_done():
        return Result(source.url, target.url, "present", size, there[0])
    replace = job.replace or there is not None
    with source.fs.open(source.path, "rb") as data:
        if target.is_local:
            # Beside the target, to be linked to its name.
            temporary = target.temporary(job.name).path
            try:
                work(data, temporary)
                _sync(temporary, job)
                written = os.path.getsize(temporary)
                target.publish(temporary, job.name, replace)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)
        else:
            with tempfile.TemporaryDirectory(prefix="roundel-") as folder:
                temporary = os.path.join(folder, "object")
                work(data, temporary)
                written = os.path.getsize(temporary)
                target.publish(temporary, job.name, replace)
    return Result(source.url, target.url, "done", size, written)


def _sync(path: str, job: Job) -> None:
    if job.sync:
        with open(path, "rb") as file:
            os.fsync(file.fileno())


@contextlib.contextmanager
def _reading(place: Place) -> Iterator[Any]:
    """What `sealed.seal` and `open` read: the path of a local object, a file object of any other."""
    if place.is_local:
        yield place.path
    else:
        with place.fs.open(place.path, "rb") as file:
            yield file


@contextlib.contextmanager
def _writing(target: Place, job: Job, replace: bool) -> Iterator[str]:
    """A local path to write to: the target itself, where the library makes a file appear whole, or a temporary file that is put there."""
    if target.is_local:
        yield target.path
    else:
        with tempfile.TemporaryDirectory(prefix="roundel-") as folder:
            path = os.path.join(folder, "object")
            yield path
            target.publish(path, job.name, replace)
