"""Sealed files: sources, targets, file objects, errors."""

import io
import os
import pickle
import shutil
import zipfile
from pathlib import Path

import fsspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import roundel

DATA = bytes(i * 7 % 256 for i in range(100_000))


def test_every_source_and_target(tmp_path, pair, identity):
    plain = tmp_path / "plain"
    plain.write_bytes(DATA)
    for number, source in enumerate((plain, str(plain), DATA, bytearray(DATA), memoryview(DATA), io.BytesIO(DATA))):
        target = tmp_path / f"{number}.rndl"
        report = roundel.seal(source, target, recipients=pair.public)
        assert report.text_bytes == len(DATA) and report.sealed_bytes == target.stat().st_size
        assert report.suite == "Cobblestone-256" and report.seconds > 0
        assert roundel.open(target, identities=pair.secret) == DATA
        opened = tmp_path / f"{number}.opened"
        with target.open("rb") as file:
            roundel.open(file, opened, identities=[identity])
        assert opened.read_bytes() == DATA
        assert roundel.inspect(target).size == len(DATA)
    sealed = roundel.seal(plain, recipients=pair.public)
    assert roundel.open(io.BytesIO(sealed), identities=pair.secret.encode()) == DATA
    assert roundel.check(sealed, identities=pair.secret).text_bytes == len(DATA)


def test_recipients(tmp_path, pair):
    other = roundel.keygen()
    file = tmp_path / "recipients.txt"
    file.write_text(f"# two\n{pair.public}\n\n{other.public}\n")
    sealed = roundel.seal(b"data", recipients=file)
    for secret in (pair.secret, other.secret):
        assert roundel.open(sealed, identities=secret) == b"data"
    assert roundel.inspect(sealed).recipients[:2] == ("X25519", "X25519")
    stranger = roundel.keygen()
    with pytest.raises(roundel.WrongKeyError, match="other recipients"):
        roundel.open(sealed, identities=stranger.secret)
    assert roundel.open(sealed, identities=[stranger.secret, other.secret]) == b"data"


def test_ciphers(pair):
    sealed = roundel.seal(DATA, recipients=pair.public, cipher="serpent")
    assert roundel.inspect(sealed).suite == "roundel-SERPENT-256-GCM"
    assert roundel.open(sealed, identities=pair.secret) == DATA
    with pytest.raises(roundel.ParameterError, match="not for protecting data"):
        roundel.seal(DATA, recipients=pair.public, cipher="deal")
    assert roundel.seal(DATA, recipients=pair.public, cipher="deal", allow_broken=True)


def test_errors(tmp_path, pair):
    missing, there = tmp_path / "missing", tmp_path / "there"
    there.write_bytes(b"old")
    with pytest.raises(FileNotFoundError) as caught:
        roundel.seal(missing, recipients=pair.public)
    assert caught.value.filename == str(missing)
    with pytest.raises(FileExistsError):
        roundel.seal(b"new", there, recipients=pair.public)
    assert there.read_bytes() == b"old"
    roundel.seal(b"new", there, recipients=pair.public, replace=True)
    assert roundel.open(there, identities=pair.secret) == b"new"
    with pytest.raises(NotADirectoryError):
        roundel.seal(b"new", there / "below", recipients=pair.public)
    for arguments in ({}, {"recipients": pair.public, "passphrase": "both"}, {"recipients": []}):
        with pytest.raises(roundel.ParameterError, match="one of them"):
            roundel.seal(b"", **arguments)
    with pytest.raises(roundel.ParameterError, match="not a recipient"):
        roundel.seal(b"", recipients="age1nobody")
    with pytest.raises(roundel.ParameterError, match="identities="):
        roundel.open(there)
    with pytest.raises(roundel.DamagedError, match="not a file sealed"):
        roundel.open(b"plain text", identities=pair.secret)
    with pytest.raises(TypeError):
        roundel.seal(17, recipients=pair.public)
    error = roundel.TruncatedError("the file is truncated")
    assert repr(pickle.loads(pickle.dumps(error))) == repr(error)
    for kind in (roundel.WrongKeyError, roundel.ParameterError, roundel.AuthenticationError):
        assert issubclass(kind, roundel.RoundelError)


def test_damage_is_placed(pair):
    sealed = bytearray(roundel.seal(DATA, recipients=pair.public))
    sealed[-20_000] ^= 1
    with pytest.raises(roundel.DamagedError, match=r"chunk \d+ at offset \d+ is damaged"):
        roundel.open(sealed, identities=pair.secret)
    with roundel.open_sealed(sealed, pair.secret) as file:
        assert file.read(50_000) == DATA[:50_000]
        with pytest.raises(roundel.DamagedError):
            file.read()


def test_an_exception_of_a_file_object_comes_through(pair):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            raise ZeroDivisionError("from below")

    with pytest.raises(ZeroDivisionError, match="from below"):
        roundel.seal(Broken(), recipients=pair.public)


def test_progress(tmp_path, pair):
    plain = tmp_path / "plain"
    with plain.open("wb") as file:
        file.truncate(160 << 20)
    seen = []
    options = {"recipients": pair.public, "cipher": "twofish", "threads": 1, "sync": False}
    roundel.seal(plain, tmp_path / "sealed", progress=lambda done, total: seen.append((done, total)), **options)
    assert seen and seen == sorted(seen) and {total for _, total in seen} <= {160 << 20}

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        roundel.seal(plain, tmp_path / "stopped", progress=stop, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain", "sealed"]


@pytest.fixture
def sealed_file(tmp_path, pair):
    path = tmp_path / "data.rndl"
    roundel.seal(DATA, path, recipients=pair.public)
    return path


def test_file_object(sealed_file, pair, identity):
    with roundel.open_sealed(sealed_file, identity) as file:
        assert file.readable() and file.seekable() and not file.writable()
        assert file.raw.size() == len(DATA)
        assert file.read(10) == DATA[:10] and file.tell() == 10
        assert file.seek(-5, os.SEEK_END) == len(DATA) - 5 and file.read() == DATA[-5:]
        assert file.seek(1000) == 1000 and file.read1(1) == DATA[1000:1001]
        assert file.seek(10, os.SEEK_CUR) == 1011 and file.peek(1)[:1] == DATA[1011:1012]
        room = bytearray(20_000)
        assert file.readinto(room) == 20_000 and room == DATA[1011:21_011]
        assert file.seek(len(DATA) + 100) and file.read() == b""
        with pytest.raises(ValueError):
            file.raw.seek(-1)
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"")
    with pytest.raises(ValueError, match="closed"):
        file.read()
    with pytest.raises(FileNotFoundError):
        roundel.open_sealed(Path("/nowhere"), pair.secret)


def test_file_object_over_fsspec_and_shutil(tmp_path, sealed_file, identity):
    memory = fsspec.filesystem("memory")
    memory.pipe("/bucket/data.rndl", sealed_file.read_bytes())
    with memory.open("/bucket/data.rndl", "rb") as below, roundel.open_sealed(below, identity) as file:
        file.seek(70_000)
        assert file.read(100) == DATA[70_000:70_100]
    with roundel.open_sealed(sealed_file, identity) as file, (tmp_path / "copy").open("wb") as copy:
        shutil.copyfileobj(file, copy)
    assert (tmp_path / "copy").read_bytes() == DATA


def test_pandas_and_pyarrow_read_sealed_files(tmp_path, pair):
    frame = pd.DataFrame({"number": range(1000), "text": [f"row {row}" for row in range(1000)]})
    for name in ("frame.csv", "frame.parquet"):
        plain = tmp_path / name
        frame.to_csv(plain, index=False) if name.endswith("csv") else frame.to_parquet(plain)
        roundel.seal(plain, tmp_path / (name + ".rndl"), recipients=pair.public)
    with roundel.open_sealed(tmp_path / "frame.csv.rndl", pair.secret) as file:
        assert pd.read_csv(file).equals(frame)
    with roundel.open_sealed(tmp_path / "frame.parquet.rndl", pair.secret) as file:
        table = pq.read_table(pa.PythonFile(file), columns=["number"])
        assert table.column("number").to_pylist() == list(range(1000))
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("inside", DATA)
    sealed = roundel.seal(tmp_path / "archive.zip", recipients=pair.public)
    with roundel.open_sealed(sealed, pair.secret) as file, zipfile.ZipFile(file) as archive:
        assert archive.read("inside") == DATA
