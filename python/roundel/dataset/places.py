"""Objects by URL, through fsspec: facts, heads, and publishing a finished object under its name in one step."""

from __future__ import annotations

import contextlib
import os
import posixpath
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import fsspec

from ..errors import RoundelError

#: Stores in which an object appears when its upload is complete, and not before.
ATOMIC_PUT = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "memory"})

#: Where file systems keep the time of the last change.
TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")

Options = Mapping[str, Any] | None


@dataclass(frozen=True)
class Place:
    """An object, or a folder, in a file system."""

    fs: Any
    path: str

    @classmethod
    def of(cls, url: str | os.PathLike[str], options: Options = None) -> Place:
        fs, path = fsspec.core.url_to_fs(os.fspath(url), **(options or {}))
        return cls(fs, path.rstrip("/"))

    @property
    def is_local(self) -> bool:
        return bool({"file", "local"} & set(_protocols(self.fs)))

    @property
    def url(self) -> str:
        return self.path if self.is_local else str(self.fs.unstrip_protocol(self.path))

    def child(self, relative: str) -> Place:
        return Place(self.fs, posixpath.join(self.path, relative))

    def parent(self) -> Place:
        return Place(self.fs, posixpath.dirname(self.path))

    def relative_to(self, base: Place) -> str:
        if not self.path.startswith(base.path + "/"):
            raise RoundelError(f"{self.url} does not lie in {base.url}")
        return self.path[len(base.path) + 1 :]

    def facts(self) -> tuple[int, float | None] | None:
        """Length and time of the last change; nothing if there is no such object."""
        try:
            info = self.fs.info(self.path)
        except FileNotFoundError:
            return None
        if info.get("type") == "directory":
            raise IsADirectoryError(21, "is a folder", self.path)
        return int(info["size"]), _time(info)

    def head(self, length: int) -> bytes:
        with self.fs.open(self.path, "rb") as file:
            return bytes(file.read(length))

    def make_folder(self) -> None:
        with contextlib.suppress(FileExistsError):
            self.fs.makedirs(self.path, exist_ok=True)

    def temporary(self, job: str) -> Place:
        """A name beside this object that no list of finished objects has."""
        return self.parent().child(f".roundel-{job}-{uuid.uuid4().hex}.tmp")

    def publish(self, local: str, job: str, replace: bool) -> None:
        """Puts a finished local file here, where it appears whole. A local one must lie in the same file system.

        Without `replace` an object that is here by now is left alone, with FileExistsError; object stores cannot refuse, and their last put wins.
        """
        if self.is_local:
            if replace:
                os.replace(local, self.path)
            else:
                os.link(local, self.path)
                os.unlink(local)
        elif ATOMIC_PUT & set(_protocols(self.fs)):
            self.fs.put_file(local, self.path)
        else:
            temporary = self.temporary(job)
            try:
                self.fs.put_file(local, temporary.path)
                if replace and self.fs.exists(self.path):
                    self.fs.rm_file(self.path)
                self.fs.mv(temporary.path, self.path)
            except BaseException:
                with contextlib.suppress(Exception):
                    self.fs.rm_file(temporary.path)
                raise


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def _time(info: Mapping[str, Any]) -> float | None:
    for key in TIMES:
        value = info.get(key)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                return datetime.fromisoformat(value).timestamp()
    return None


def sweep(folder: Place, job: str) -> int:
    """Removes what killed workers of a job left; gives the number of files."""
    left = [path for path in folder.fs.find(folder.path) if f"/.roundel-{job}-" in path]
    for path in left:
        folder.fs.rm_file(path)
    return len(left)
