"""BitLocker volumes, opened from a disk image or a device and only ever read."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

from . import _roundel
from .errors import ParameterError
from .files import BUFFER_BYTES, PathText, ReaderFile

__all__ = ["VolumeFile", "info", "open"]


def info(image: PathText) -> dict[str, Any]:
    """What a volume says about itself without any secret, as `roundel volume info --json` prints it.

    `record["protectors"]` is a list of records: what opens the volume.
    """
    record: dict[str, Any] = json.loads(_roundel.volume_info(image))
    return record


class VolumeFile(ReaderFile):
    """The plaintext of a volume as an unbuffered file object. Made, with a buffer around it, by :func:`open`."""


def open(
    image: PathText,
    *,
    password: str | None = None,
    recovery_password: str | None = None,
    bek: bytes | os.PathLike[str] | str | None = None,
    clear_key: bool = False,
    allow_altered_metadata: bool = False,
    allow_missing_bitmaps: bool = False,
    buffer_bytes: int = BUFFER_BYTES,
) -> io.BufferedReader:
    """A volume's plaintext, from its first sector to its last, as a file object that reads and seeks, decrypting only the sectors that are touched.

    One secret opens it: a password, a recovery password (eight groups of six digits), a BEK file (its path, or its contents as bytes), or the clear key
    that a suspended volume carries. A decrypted volume needs none. Trying a password takes a few tenths of a second, by design.

    The two `allow` s read on where that is refused otherwise: where somebody changed the metadata, so that the plaintext may be wrong, and where nothing
    tells what is encrypted, so that everything is taken as encrypted. Sectors are not authenticated: a changed one reads as noise.
    """
    given = sum((password is not None, recovery_password is not None, bek is not None, clear_key))
    if given > 1:
        raise ParameterError("give one secret: password=, recovery_password=, bek= or clear_key=")
    if bek is not None and not isinstance(bek, bytes):
        bek = Path(bek).read_bytes()
    reader = _roundel.read_volume(
        image, password, recovery_password, bek, clear_key, allow_altered_metadata, allow_missing_bitmaps
    )
    return io.BufferedReader(VolumeFile(reader, os.fspath(image)), buffer_bytes)
