"""A dataset on a cluster of processes that speak TLS, of which some are killed while it runs."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from distributed import Client, Security

import roundel
from roundel.dataset import command, seal_dataset

OBJECTS, OBJECT_BYTES, BATCH = 240, 300_000, 8


class Cluster:
    """A scheduler, and two workers each below a nanny in a process group of its own, as on two machines."""

    def __init__(self, folder: Path) -> None:
        temporary = Security.temporary()
        self.ca, self.cert, self.key = (folder / name for name in ("ca.pem", "cert.pem", "key.pem"))
        self.ca.write_text(temporary.tls_ca_file)
        self.cert.write_text(temporary.tls_scheduler_cert)
        self.key.write_text(temporary.tls_scheduler_key)
        self.file = folder / "scheduler.json"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._start("scheduler", "dask_scheduler", "--port", "0", "--no-show", "--protocol", "tls")
        for name in ("one", "two"):
            self._start(name, "dask_worker", "--nworkers", "1", "--nthreads", "1", "--name", name, "--local-directory", str(folder))

    def _start(self, name: str, module: str, *arguments: str) -> None:
        tls = ["--tls-ca-file", str(self.ca), "--tls-cert", str(self.cert), "--tls-key", str(self.key)]
        call = [sys.executable, "-P", "-m", f"distributed.cli.{module}", "--scheduler-file", str(self.file), "--no-dashboard", *tls, *arguments]
        log = (self.file.parent / f"{name}.log").open("wb")
        self.processes[name] = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True)

    def security(self) -> Security:
        return Security(
            require_encryption=True, tls_ca_file=str(self.ca), tls_client_cert=str(self.cert), tls_client_key=str(self.key)
        )

    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def kill(self, name: str) -> None:
        """Kills a whole process group: a nanny and its worker."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def close(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def cluster(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    yield cluster
    cluster.close()


class Watch(threading.Thread):
    """Notes which files were ever seen under the final names: an object that is sealed twice would be seen with two inodes or two lengths."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.seen, self.stop = folder, {}, threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            if self.folder.exists():
                for entry in os.scandir(self.folder):
                    if entry.name.endswith(".rndl"):
                        stat = entry.stat()
                        self.seen.setdefault(entry.name, set()).add((stat.st_ino, stat.st_size, stat.st_mtime_ns))
            time.sleep(0.005)


def test_a_killed_worker_and_a_killed_machine(cluster, tmp_path, pair, identity):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    for number in range(OBJECTS):
        (source / f"object-{number:03}").write_bytes(os.urandom(16) + bytes(OBJECT_BYTES + number))
    killed = []

    with Client(_address(cluster), security=cluster.security()) as client:
        client.wait_for_workers(2, timeout=60)
        assert client.scheduler.address.startswith("tls://")

        def kill(manifest):
            finished = len(manifest.results)
            if not killed and finished >= OBJECTS // 10:
                workers = client.run(os.getpid)
                names = {facts["name"]: address for address, facts in client.scheduler_info(n_workers=-1)["workers"].items()}
                os.kill(workers[names["one"]], signal.SIGKILL)
                killed.append("worker one")
            elif len(killed) == 1 and finished >= OBJECTS // 3:
                cluster.kill("two")
                killed.append("machine two")

        watch = Watch(target)
        watch.start()
        manifest = seal_dataset(source, target, pair.public, client=client, batch_objects=BATCH, progress=kill)
        watch.stop.set()
        watch.join()

    assert killed == ["worker one", "machine two"]
    record = manifest.record(objects=True)
    if report := os.environ.get("ROUNDEL_MANIFEST"):
        Path(report).write_text(manifest.json())
    assert manifest.complete, record["failures"]
    assert record["objects"]["done"] + record["objects"]["present"] == OBJECTS
    # Every object exactly once: each name in the manifest once, each file was made once and never changed, and all verify.
    assert sorted(path.name for path in target.iterdir()) == [f"object-{number:03}.rndl" for number in range(OBJECTS)]
    assert len({result["source"] for result in record["results"]}) == len(record["results"]) == OBJECTS
    assert all(len(states) == 1 for states in watch.seen.values())
    for number in range(OBJECTS):
        path = target / f"object-{number:03}.rndl"
        assert path.stat().st_nlink == 1
        assert roundel.open(path, identities=identity) == (source / f"object-{number:03}").read_bytes()
    assert not list(tmp_path.rglob(".roundel-*"))
    workers = {result["worker"] for result in record["results"]}
    assert len(workers) >= 2, "machine two before it was killed, and worker one after it was started again"

    # Run again, by the command, on what is left of the cluster: everything is there already. Then open it.
    tls = ["--scheduler", cluster.address(), "--tls-ca", cluster.ca, "--tls-cert", cluster.cert, "--tls-key", cluster.key, "--quiet"]
    written = tmp_path / "manifest.json"
    assert command.main(["seal", str(source), str(target), "-r", pair.public, "--manifest", str(written), *map(str, tls)]) == 0
    assert json.loads(written.read_text())["objects"] == {"total": OBJECTS, "done": 0, "present": OBJECTS, "failed": 0}
    opened = tmp_path / "opened"
    (target / "object-000.rndl").write_bytes(b"damaged")
    assert command.main(["open", str(target), str(opened), "-i", str(identity), "--manifest", str(written), *map(str, tls)]) == 3
    manifest = json.loads(written.read_text())
    assert manifest["objects"] == {"total": OBJECTS, "done": OBJECTS - 1, "present": 0, "failed": 1}
    assert "DamagedError" in manifest["failures"][0]["error"]
    assert len(list(opened.iterdir())) == OBJECTS - 1

    # A client without the certificate is not let in.
    plain = cluster.address().replace("tls://", "tcp://")
    with pytest.raises((OSError, TypeError)):
        Client(plain, timeout=3)


def _address(cluster: Cluster) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if cluster.file.exists() and cluster.file.read_text():
            return cluster.address()
        time.sleep(0.05)
    raise TimeoutError("the scheduler does not start")
