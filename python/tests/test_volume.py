"""BitLocker volumes: information, each secret, ranges, errors."""

import gzip
import hashlib
import io
import json
import lzma
import os
import shutil
import threading
from pathlib import Path

import clear_key_volume
import pandas as pd
import pytest
from conftest import ROOT

import roundel
from roundel import volume

IMAGES = ROOT / "crates/roundel-volume/tests/images"
TO_GO, FAT = "own-elephant-128-togo", "own-elephant-256-fat-bek"
PASSWORD = "rm3xgrw8suMLsq"
RECOVERY = "241065-028050-370568-020504-143000-534369-119416-014190"
# The plaintexts' SHA-256, as two other programs read them: crates/roundel-cli/tests/volume.rs.
SHA256 = {
    TO_GO: "a1bb1bc4512e883335c1f04727245be80cd734315fe78291ee1c61b4a9a7e599",
    FAT: "257ba473808ae44a18bfd55933f21e0e8048a097150d0b78025051f6e36b6868",
}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    for name in (TO_GO, FAT):
        with gzip.open(IMAGES / f"{name}.img.gz") as packed, (folder / name).open("wb") as image:
            shutil.copyfileobj(packed, image)
    return folder


@pytest.fixture(scope="module")
def bek():
    return IMAGES / f"{FAT}.bek"


def test_info_needs_no_secret(images):
    record = volume.info(images / TO_GO)
    assert (record["method"], record["version"], record["state"], record["to_go"]) == ("0x8000", 2, "encrypted", True)
    assert record["encrypted_bytes"] >= record["image_bytes"] == 40 << 20 and record["bad_copies"] == []
    protectors = pd.DataFrame(record["protectors"])
    assert set(protectors["kind"]) == {"password", "recovery password"}
    assert all(guid.count("-") == 4 for guid in protectors["guid"])


@pytest.mark.parametrize("secret", [{"password": PASSWORD}, {"recovery_password": RECOVERY}], ids=lambda secret: next(iter(secret)))
def test_secrets_open(images, secret):
    with volume.open(images / TO_GO, **secret) as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256[TO_GO]


def test_a_bek_file_by_its_path_or_contents(images, bek):
    for given in (bek, str(bek), bek.read_bytes()):
        with volume.open(str(images / FAT), bek=given) as file:
            assert hashlib.sha256(file.read()).hexdigest() == SHA256[FAT]


def test_a_clear_key_opens(tmp_path):
    made, text = clear_key_volume.make()
    image = tmp_path / "image"
    image.write_bytes(made)
    assert [protector["kind"] for protector in volume.info(image)["protectors"]] == ["clear key"]
    with volume.open(image, clear_key=True) as file:
        assert file.read() == text
    with pytest.raises(roundel.WrongKeyError, match="opens by clear key"):
        volume.open(image)
    image.write_bytes(clear_key_volume.make(right_key=False)[0])
    with pytest.raises(roundel.DamagedError, match="its clear key does not open the master key"):
        volume.open(image, clear_key=True)


@pytest.mark.parametrize("name", ["cryptsetup/bitlk-aes-xts-128-clearkey-only.img.xz", "dissect/suspended.bin.xz", "own/own-cbc-256-clear.img.xz"])
def test_the_clear_keys_of_shared_volumes(tmp_path, name):
    """Volumes that others made, two of them Windows: their licences keep them out of the repository."""
    folder = Path(os.environ.get("ROUNDEL_SHARED_VECTORS", ROOT.parent / "shared/vectors")) / "bitlocker"
    if not (folder / name).is_file():
        pytest.skip(f"there is no {folder / name}")
    image = tmp_path / "image"
    with lzma.open(folder / name) as packed, image.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    (entry,) = (entry for entry in json.loads((folder / "manifest.json").read_text()) if entry["file"] == name)
    with volume.open(image, clear_key=True) as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == entry["plain_sha256"]


def test_the_file_object_reads_ranges(images, bek):
    with volume.open(images / FAT, bek=bek) as file:
        plain = file.read()
        assert len(plain) == file.raw.size() == 40 << 20
        assert file.readable() and file.seekable() and not file.writable()
        for start, length in ((0, 512), (1000, 70_000), (511, 2), (1 << 20, 1 << 16), ((40 << 20) - 40, 100)):
            assert file.seek(start) == start
            assert file.read(length) == plain[start : start + length]
        assert file.seek(-3, os.SEEK_END) == (40 << 20) - 3 and file.read() == plain[-3:]
        assert file.seek(50 << 20) and file.read() == b""
        room = bytearray(1536)
        file.seek(100)
        assert file.raw.readinto(room) == 1536  # the raw object stands where the buffer has read to
        with pytest.raises(roundel.ParameterError, match="before the beginning"):
            file.raw.seek(-1 - (40 << 20), os.SEEK_END)
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"")
    with pytest.raises(ValueError, match="closed"):
        file.read()


def test_threads_read_one_volume(images, bek):
    with volume.open(images / FAT, bek=bek) as file:
        plain = file.read()
        wrong = []

        def read(seed):
            with volume.open(images / FAT, bek=bek) as own:
                for turn in range(50):
                    at = (seed * 7919 + turn * 104_729) * 13 % (len(plain) - 5000)
                    own.seek(at)
                    if own.read(5000) != plain[at : at + 5000]:
                        wrong.append((seed, at))

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_errors(tmp_path, images, bek):
    image, noise = images / TO_GO, tmp_path / "noise"
    noise.write_bytes(bytes(range(256)) * 16)
    wrong = "000000-000000-000000-000000-000000-000000-000000-000011"
    with pytest.raises(FileNotFoundError) as caught:
        volume.info(tmp_path / "missing")
    assert caught.value.filename == str(tmp_path / "missing")
    with pytest.raises(OSError, match="regular file or a block device"):
        volume.open(tmp_path, clear_key=True)
    with pytest.raises(roundel.DamagedError, match="not a BitLocker volume"):
        volume.info(noise)
    with pytest.raises(roundel.WrongKeyError, match="opens by recovery password, password"):
        volume.open(image)
    for secret, says in (
        ({"clear_key": True}, "no protector for a clear key"),
        ({"bek": noise}, "not a BEK file"),
        ({"bek": bek}, "no protector for a BEK file"),
        ({"recovery_password": wrong}, "the recovery password is wrong"),
        ({"password": "wrong"}, "the password is wrong"),
    ):
        with pytest.raises(roundel.WrongKeyError, match=says):
            volume.open(image, **secret)
    with pytest.raises(roundel.ParameterError, match="a digit of group 8 is wrong"):
        volume.open(image, recovery_password=wrong.replace("11", "12"))
    with pytest.raises(roundel.ParameterError, match="one secret"):
        volume.open(image, password=PASSWORD, clear_key=True)


def test_a_shortened_image_is_truncated_where_it_ends(tmp_path, images, bek):
    cut = tmp_path / "cut"
    shutil.copyfile(images / FAT, cut)
    with volume.open(cut, bek=bek) as file:
        os.truncate(cut, 20 << 20)
        file.seek(30 << 20)
        with pytest.raises(roundel.TruncatedError):
            file.read(512)
