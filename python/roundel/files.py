"""File objects over what the native module decrypts as it is read."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, TypeAlias

from . import _roundel

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["BUFFER_BYTES", "PathText", "ReaderFile"]

PathText: TypeAlias = str | os.PathLike[str]

#: Bytes that a buffer around a file object reads ahead: four chunks of a sealed file.
BUFFER_BYTES = 64 * 1024


class ReaderFile(io.RawIOBase):
    """Plaintext as an unbuffered, read-only file object that seeks."""

    def __init__(self, reader: _roundel.Reader, name: object) -> None:
        self._reader = reader
        self.name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        self._check_open()
        return self._reader.readinto(buffer)

    def readall(self) -> bytes:
        self._check_open()
        rest = bytearray(max(0, self.size() - self.tell()))
        view = memoryview(rest)
        return bytes(view[: self._reader.readinto(view)])

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        self._check_open()
        return self._reader.seek(offset, whence)

    def tell(self) -> int:
        return self.seek(0, os.SEEK_CUR)

    def size(self) -> int:
        """Bytes of the plaintext; of a sealed file, verified."""
        self._check_open()
        return self._reader.text_bytes()

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")
