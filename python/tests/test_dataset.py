"""Batches of objects, and datasets on an in-process Dask cluster."""

import json
import os
import threading

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

import roundel
from roundel import columns
from roundel.dataset import Manifest, open_batch, open_dataset, places, seal_batch, seal_dataset


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def tree(tmp_path):
    source = tmp_path / "source"
    for name, size in [("a", 0), ("b.bin", 1), ("deep/er/c", 100_000), ("d e", 16_384), ("ü", 20)]:
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size))
    return source


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_batch_there_and_back(tmp_path, tree, pair, identity):
    paths = sorted(str(path) for path in tree.rglob("*") if path.is_file())
    sealed, opened = tmp_path / "sealed", tmp_path / "opened"
    results = seal_batch(paths, [pair.public], str(sealed), base=str(tree))
    assert [result.status for result in results] == ["done"] * 5
    assert [result.source for result in results] == paths
    assert set(files(sealed)) == {name + ".rndl" for name in files(tree)}
    for result in results:
        assert roundel.check(result.target, identities=identity).text_bytes == result.text_bytes
        assert result.worker.endswith(f":{os.getpid()}") and result.seconds > 0
    results = open_batch([result.target for result in results], [str(identity)], str(opened), base=str(sealed))
    assert [result.status for result in results] == ["done"] * 5
    assert files(opened) == files(tree)
    again = open_batch([result.source for result in results], [str(identity)], str(opened), base=str(sealed))
    assert [result.status for result in again] == ["present"] * 5


def test_what_is_done_is_recognised(tmp_path, tree, pair):
    sealed = tmp_path / "sealed"
    paths = sorted(str(path) for path in tree.rglob("*") if path.is_file())

    def statuses():
        return {result.source.removeprefix(str(tree) + "/"): result.status for result in seal_batch(paths, [pair.public], str(sealed), base=str(tree))}

    assert set(statuses().values()) == {"done"}
    before = files(sealed)
    assert set(statuses().values()) == {"present"}
    assert files(sealed) == before
    # A target that was cut, a source of another length, and one that was written to later are done again; nothing else is.
    with open(sealed / "d e.rndl", "r+b") as file:
        file.truncate(500)
    (tree / "b.bin").write_bytes(b"longer")
    later = os.stat(sealed / "ü.rndl").st_mtime + 10
    os.utime(tree / "ü", (later, later))
    assert statuses() == {"a": "present", "b.bin": "done", "d e": "done", "deep/er/c": "present", "ü": "done"}
    assert roundel.inspect(sealed / "d e.rndl").whole


def test_a_bad_object_does_not_stop_the_rest(tmp_path, tree, pair):
    sealed = tmp_path / "sealed"
    (sealed / "deep/er").mkdir(parents=True)
    (sealed / "a.rndl").write_bytes(b"somebody's own file")
    (tree / "b.bin").unlink()
    (tree / "b.bin").symlink_to(tmp_path / "nowhere")
    paths = [*sorted(str(path) for path in tree.rglob("*") if not path.is_dir()), str(tmp_path / "elsewhere")]
    results = seal_batch(paths, [pair.public], str(sealed), base=str(tree))
    failed = {result.source.rsplit("/", 1)[1]: result.error for result in results if result.status == "failed"}
    assert set(failed) == {"a", "b.bin", "elsewhere"}
    assert "no whole sealed object" in failed["a"] and "FileNotFoundError" in failed["b.bin"] and "does not lie in" in failed["elsewhere"]
    assert [result.status for result in results].count("done") == 3
    assert (sealed / "a.rndl").read_bytes() == b"somebody's own file"


def test_damage_and_strangers_are_reported(tmp_path, tree, pair, identity):
    sealed, opened = tmp_path / "sealed", tmp_path / "opened"
    paths = sorted(str(path) for path in tree.rglob("*") if path.is_file())
    targets = [result.target for result in seal_batch(paths, [pair.public], str(sealed), base=str(tree))]
    damaged = bytearray((sealed / "deep/er/c.rndl").read_bytes())
    damaged[50_000] ^= 1
    (sealed / "deep/er/c.rndl").write_bytes(damaged)
    (sealed / "ü.rndl").unlink()
    roundel.seal(b"other", sealed / "ü.rndl", recipients=roundel.keygen().public)
    results = open_batch(targets, [str(identity)], str(opened), base=str(sealed))
    errors = {result.source.rsplit("/", 1)[1]: result.error for result in results if result.status == "failed"}
    assert errors["c.rndl"].startswith("DamagedError: chunk 3 ") and errors["ü.rndl"].startswith("WrongKeyError: ")
    assert set(files(opened)) == {"a", "b.bin", "d e"}


def test_two_workers_with_the_same_batch(tmp_path, tree, pair):
    """As after a network fault, when the engine gives a batch to a second worker: each object appears once, and neither worker fails."""
    for number in range(40):
        (tree / f"many-{number}").write_bytes(bytes(number))
    paths = sorted(str(path) for path in tree.rglob("*") if path.is_file())
    results = []
    barrier = threading.Barrier(4)

    def work():
        barrier.wait()
        results.extend(seal_batch(paths, [pair.public], str(tmp_path / "sealed"), base=str(tree), sync=False))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [result.source for result in results if result.status == "done"]
    assert sorted(done) == paths
    assert {result.status for result in results} == {"done", "present"}


def test_dataset_by_url(tree, pair, identity, client, tmp_path):
    """From a local folder to a store that is none, and back from there."""
    memory = fsspec.filesystem("memory")
    memory.rm("/bucket", recursive=True) if memory.exists("/bucket") else None
    seen = []
    manifest = seal_dataset(tree, "memory://bucket/sealed", pair.public, client=client, batch_objects=2, progress=lambda now: seen.append(len(now.results)))
    assert manifest.complete and manifest.count("done") == 5
    assert len(seen) == 3 and seen == sorted(seen) and seen[-1] == 5
    assert memory.find("/bucket") == sorted(f"/bucket/sealed/{name}.rndl" for name in files(tree))
    record = json.loads(manifest.json(objects=True))
    assert record["objects"] == {"total": 5, "done": 5, "present": 0, "failed": 0}
    assert record["text_bytes"] == sum(map(len, files(tree).values()))
    assert record["sealed_bytes"] == sum(memory.du("/bucket/sealed", total=False).values())
    assert record["recipients"] == [pair.public] and record["failures"] == [] and len(record["results"]) == 5
    assert seal_dataset(tree, "memory://bucket/sealed", pair.public, client=client).count("present") == 5

    copy = seal_dataset("memory://bucket/sealed", "memory://bucket/twice", pair.public, client=client)
    assert copy.complete and copy.count("done") == 5
    back = open_dataset("memory://bucket/twice", "memory://bucket/once", identity, client=client)
    assert back.complete
    opened = open_dataset("memory://bucket/once", tmp_path / "opened", [identity], client=client)
    assert opened.complete and files(tmp_path / "opened") == files(tree)


def test_a_store_without_atomic_put(tree, pair, client, monkeypatch):
    """There objects are put under another name and moved; what a killed worker left is swept away."""
    monkeypatch.setattr(places, "ATOMIC_PUT", frozenset())
    memory = fsspec.filesystem("memory")
    memory.pipe("/plain/b.bin.rndl", roundel.seal(b"old", recipients=pair.public))
    moved = []
    move = type(memory).mv
    monkeypatch.setattr(type(memory), "mv", lambda self, a, b, **options: moved.append((a, b)) or move(self, a, b, **options))
    manifest = seal_dataset(tree, "memory://plain", pair.public, client=client)
    assert manifest.complete and len(moved) == 5
    assert all("/.roundel-" in a and a.endswith(".tmp") and b.endswith(".rndl") for a, b in moved)
    assert len(memory.find("/plain")) == 5
    memory.pipe("/plain/.roundel-me-1.tmp", b"")
    memory.pipe("/plain/.roundel-other-1.tmp", b"")
    assert places.sweep(places.Place.of("memory://plain"), "me") == 1
    memory.rm("/plain", recursive=True)


def test_columns_of_a_dataset(tmp_path, pair, identity, client):
    source = tmp_path / "tables"
    source.mkdir()
    for number in range(3):
        rows = range(100 * number, 100 * number + 100)
        pq.write_table(pa.table({"id": rows, "name": [f"name {row}" for row in rows]}), source / f"part-{number}.parquet")
    (source / "notes.txt").write_text("no table")
    (source / "bad.parquet").write_text("no table either")
    sealed = seal_dataset(source, tmp_path / "sealed", pair.public, columns=["name"], client=client)
    assert (sealed.total, sealed.count("done"), len(sealed.failures)) == (4, 3, 1)
    assert sealed.failures[0].source.endswith("bad.parquet") and not sealed.complete
    table = pq.read_table(tmp_path / "sealed" / "part-1.parquet")
    assert columns.sealed_columns(table.schema) == ["name"] and table.column("id")[0].as_py() == 100
    assert seal_dataset(source, tmp_path / "sealed", pair.public, columns=["name"], client=client).count("present") == 3
    opened = open_dataset(tmp_path / "sealed", tmp_path / "opened", identity, columns=["name"], client=client)
    assert opened.complete
    assert open_dataset(tmp_path / "sealed", tmp_path / "opened", identity, columns=["name"], client=client).count("present") == 3
    for number in range(3):
        name = f"part-{number}.parquet"
        assert pq.read_table(tmp_path / "opened" / name).equals(pq.read_table(source / name))
    assert not [path for path in tmp_path.rglob(".roundel-*")]


def test_refusals(tmp_path, tree, pair, client):
    with pytest.raises(roundel.ParameterError, match="not sent to workers"):
        open_dataset(tree, tmp_path / "out", pair.secret, client=client)
    with pytest.raises(roundel.ParameterError, match="lies in the source"):
        seal_dataset(tree, tree / "sealed", pair.public, client=client)
    with pytest.raises(FileNotFoundError):
        seal_dataset(tmp_path / "nowhere", tmp_path / "out", pair.public, client=client)
    with pytest.raises(roundel.ParameterError, match="not a recipient"):
        seal_dataset(tree, tmp_path / "out", "age1nobody", client=client)
    assert isinstance(seal_dataset(tree, tmp_path / "out", pair.public, client=client), Manifest)
