"""Datasets on Dask: batches of objects as tasks, and a manifest of what became of each."""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .. import sealed
from ..errors import ParameterError
from .batch import SUFFIX, Job, Result, open_batch, seal_batch
from .places import Place, sweep

__all__ = ["Manifest", "local_client", "open_dataset", "seal_dataset"]

#: A batch is full with this much data or so many objects: seconds of work, so that a killed worker loses little.
BATCH_BYTES = 256 << 20
BATCH_OBJECTS = 64

FORMAT = "roundel-dataset/1"


@dataclass
class Manifest:
    """What a run did."""

    operation: str
    source: str
    target: str
    recipients: list[str]
    workers: int
    started: str
    seconds: float = 0.0
    total: int = 0
    results: list[Result] = field(default_factory=list)

    def count(self, status: str) -> int:
        return sum(result.status == status for result in self.results)

    @property
    def failures(self) -> list[Result]:
        return [result for result in self.results if result.status == "failed"]

    @property
    def complete(self) -> bool:
        """Whether every object is at its target."""
        return len(self.results) == self.total and not self.failures

    def record(self, objects: bool = False) -> dict[str, Any]:
        """As plain data; with `objects`, a record for each of them, too."""
        finished = [result for result in self.results if result.status != "failed"]
        record = {
            "format": FORMAT,
            "operation": self.operation,
            "source": self.source,
            "target": self.target,
            "recipients": self.recipients,
            "workers": self.workers,
            "started": self.started,
            "seconds": round(self.seconds, 3),
            "objects": {
                "total": self.total,
                "done": self.count("done"),
                "present": self.count("present"),
                "failed": self.count("failed"),
            },
            "text_bytes": sum(result.text_bytes for result in finished),
            "sealed_bytes": sum(result.sealed_bytes for result in finished),
            "failures": [{"source": one.source, "error": one.error} for one in self.failures],
        }
        if objects:
            record["results"] = [result.record() for result in sorted(self.results, key=lambda one: one.source)]
        return record

    def json(self, objects: bool = False) -> str:
        return json.dumps(self.record(objects), indent=2) + "\n"


Progress = Callable[[Manifest], object]


def seal_dataset(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    recipients: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    client: Any = None,
    columns: Sequence[str] = (),
    progress: Progress | None = None,
    batch_bytes: int = BATCH_BYTES,
    batch_objects: int = BATCH_OBJECTS,
    **options: Any,
) -> Manifest:
    """Seals every object below `source` into the same place below `target`, on the workers of `client` (a `distributed.Client`; without it, on a cluster of
    this machine's cores with TLS).

    May be stopped and run again: what is done is recognised. `columns` encrypts these columns of the Parquet files instead of whole objects.
    `progress` is called with the manifest so far after each batch. `options` are those of :func:`roundel.dataset.seal_batch`.
    """
    keys = sealed.recipient_keys(recipients)
    # Asked here, so that a wrong key is one error and not one for each object.
    sealed.seal(b"", recipients=keys)
    job = Job(os.fspath(target), os.fspath(source), tuple(columns), **options)
    run = _Run("seal", job, seal_batch, keys, keys, batch_bytes, batch_objects)
    return run.on(client, progress)


def open_dataset(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    identities: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    client: Any = None,
    columns: Sequence[str] = (),
    progress: Progress | None = None,
    batch_bytes: int = BATCH_BYTES,
    batch_objects: int = BATCH_OBJECTS,
    **options: Any,
) -> Manifest:
    """Opens every sealed object below `source` into the same place below `target`: the counterpart of :func:`seal_dataset`.

    `identities` are paths of key files, which each worker reads for itself: no secret crosses the network.
    """
    if isinstance(identities, str | os.PathLike):
        identities = [identities]
    paths = [os.fspath(path) for path in identities]
    if any(path.lstrip().startswith(("AGE-SECRET-KEY-", "-----BEGIN ")) for path in paths):
        raise ParameterError("a secret key is not sent to workers: give the path of a key file that each of them has")
    job = Job(os.fspath(target), os.fspath(source), tuple(columns), **options)
    run = _Run("open", job, open_batch, paths, [], batch_bytes, batch_objects)
    return run.on(client, progress)


@dataclass
class _Run:
    operation: str
    job: Job
    work: Callable[..., list[Result]]
    keys: list[str]
    recipients: list[str]
    batch_bytes: int
    batch_objects: int

    def on(self, client: Any, progress: Progress | None) -> Manifest:
        if client is None:
            with local_client() as own:
                return self.on(own, progress)
        from distributed import as_completed

        source, target = Place.of(self.job.base or "", self.job.source_options), Place.of(self.job.out, self.job.target_options)
        objects = self._objects(source, target)
        began, started = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        manifest = Manifest(self.operation, source.url, target.url, self.recipients, workers, started, total=len(objects))
        run = uuid.uuid4().hex[:12]
        # Batches are idempotent, so Dask may run them again after a worker died or the network failed.
        batches = {
            client.submit(
                self.work, batch, self.keys, self.job.out, job=self.job, key=f"roundel-{self.operation}-{run}-{number}", pure=False, retries=3
            ): batch
            for number, batch in enumerate(self._batches(objects))
        }
        for future in as_completed(batches):
            try:
                # Waits where the result was lost with its worker and the batch runs again.
                manifest.results.extend(future.result())
            except Exception as error:
                manifest.results.extend(
                    Result(path, "", "failed", error=f"{type(error).__name__}: {error}") for path in batches[future]
                )
            manifest.seconds = time.perf_counter() - began
            if progress is not None:
                progress(manifest)
        with contextlib.suppress(FileNotFoundError):
            sweep(target, self.job.name)
        manifest.seconds = time.perf_counter() - began
        return manifest

    def _objects(self, source: Place, target: Place) -> list[tuple[str, int]]:
        """URL and length of each object that is to be worked on."""
        if target.is_local == source.is_local and (target.path + "/").startswith(source.path + "/"):
            raise ParameterError("the target lies in the source: choose a folder beside it")
        if not source.fs.exists(source.path):
            raise FileNotFoundError(2, "there is no such folder", source.url)
        ending = ".parquet" if self.job.columns else "" if self.operation == "seal" else SUFFIX
        return [
            (Place(source.fs, path).url, int(info.get("size") or 0))
            for path, info in sorted(source.fs.find(source.path, detail=True).items())
            if path.endswith(ending) and not posixpath.basename(path).startswith(".roundel-")
        ]

    def _batches(self, objects: list[tuple[str, int]]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for url, length in objects:
            if batch and (len(batch) >= self.batch_objects or size + length > self.batch_bytes):
                yield batch
                batch, size = [], 0
            batch.append(url)
            size += length
        if batch:
            yield batch


@contextlib.contextmanager
def local_client(workers: int | None = None) -> Iterator[Any]:
    """A Dask client with a cluster of processes on this machine, one for each core, that speak mutual TLS with certificates made for it."""
    from distributed import Client, LocalCluster

    count = workers or len(os.sched_getaffinity(0))
    # Two threads each: while one waits for the disk, the other works.
    cluster = LocalCluster(
        n_workers=count, threads_per_worker=2, processes=True, security=True, protocol="tls", dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        yield client
