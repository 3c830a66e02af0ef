"""Sealed files: authenticated encryption for recipients or a passphrase, in the format of `roundel seal`."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias, overload

from . import _roundel
from .errors import ParameterError
from .files import BUFFER_BYTES, PathText, ReaderFile

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Inspection",
    "Keypair",
    "Report",
    "SealedFile",
    "check",
    "inspect",
    "keygen",
    "open",
    "open_sealed",
    "seal",
]

Source: TypeAlias = "PathText | Buffer | IO[bytes]"
Identity: TypeAlias = str | bytes | os.PathLike[str]
Recipients: TypeAlias = PathText | Iterable[PathText]
Identities: TypeAlias = Identity | Iterable[Identity]
Progress: TypeAlias = Callable[[int, int | None], object]


class Report(NamedTuple):
    """What an operation did."""

    text_bytes: int
    """Bytes of plaintext."""
    sealed_bytes: int
    """Bytes of sealed data, the header included."""
    suite: str
    strategy: str
    threads: int
    seconds: float


class Keypair(NamedTuple):
    """A key pair of age's kind."""

    secret: str
    """``AGE-SECRET-KEY-1...``: an identity."""
    public: str
    """``age1...``: a recipient."""


class Inspection(NamedTuple):
    """What a header says without any key. Its checksum is verified; nothing of it is authenticated."""

    version: str
    suite: str
    size: int | None
    """Bytes of the plaintext, if the header knows it."""
    recipients: tuple[str, ...]
    """Kinds of the recipients: ``X25519``, ``scrypt``, ``ssh-ed25519``, ..."""
    header_bytes: int
    file_bytes: int | None
    """Bytes of the file; none for a stream or bytes."""
    whole: bool | None
    """Whether the file has the length of a whole message."""


def keygen() -> Keypair:
    """Makes a key pair."""
    return Keypair(*_roundel.keygen())


def recipient_keys(recipients: Recipients | None) -> list[str]:
    """The public keys that are meant: strings are keys, paths (`pathlib.Path`) are files with a key on each line."""
    if recipients is None:
        return []
    if isinstance(recipients, str | os.PathLike):
        recipients = [recipients]
    keys = []
    for one in recipients:
        if isinstance(one, str):
            keys.append(one)
        else:
            lines = [line.strip() for line in Path(one).read_text().splitlines()]
            found = [line for line in lines if line and not line.startswith("#")]
            if not found:
                raise ParameterError(f"{os.fspath(one)} holds no recipient")
            keys.extend(found)
    return keys


def _lock(recipients: Recipients | None, passphrase: str | None) -> list[str]:
    keys = recipient_keys(recipients)
    if bool(keys) == (passphrase is not None):
        raise ParameterError("seal for recipients=, or with a passphrase=: one of them, not both")
    return keys


def _unlock(
    identities: Identities | None, passphrase: str | None
) -> tuple[list[tuple[bytes, str]], str | None]:
    if identities is None:
        identities = []
    if isinstance(identities, str | bytes | os.PathLike):
        identities = [identities]
    files = []
    for one in identities:
        if isinstance(one, bytes):
            files.append((one, "the identity"))
        elif isinstance(one, str) and one.lstrip().startswith(("AGE-SECRET-KEY-", "-----BEGIN ")):
            files.append((one.encode(), "the identity"))
        else:
            files.append((Path(one).read_bytes(), os.fspath(one)))
    if not files and passphrase is None:
        raise ParameterError("opening needs identities= (key files or AGE-SECRET-KEY-1...), or passphrase=")
    return files, passphrase


@overload
def seal(
    source: Source,
    target: None = ...,
    *,
    recipients: Recipients | None = ...,
    passphrase: str | None = ...,
    cipher: str = ...,
    key_bits: int = ...,
    allow_broken: bool = ...,
    threads: int = ...,
    sync: bool = ...,
    replace: bool = ...,
    progress: Progress | None = ...,
) -> bytes: ...
@overload
def seal(
    source: Source,
    target: PathText,
    *,
    recipients: Recipients | None = ...,
    passphrase: str | None = ...,
    cipher: str = ...,
    key_bits: int = ...,
    allow_broken: bool = ...,
    threads: int = ...,
    sync: bool = ...,
    replace: bool = ...,
    progress: Progress | None = ...,
) -> Report: ...
def seal(
    source: Source,
    target: PathText | None = None,
    *,
    recipients: Recipients | None = None,
    passphrase: str | None = None,
    cipher: str = "aes",
    key_bits: int = 256,
    allow_broken: bool = False,
    threads: int = 0,
    sync: bool = True,
    replace: bool = False,
    progress: Progress | None = None,
) -> bytes | Report:
    """Seals a file (a path), data (any buffer) or what a file object gives.

    Without `target` the sealed data is returned. With it a file appears there, whole and on the disk (`sync`), or not at all, and a report is returned;
    an existing file is replaced only with `replace`.

    `recipients` are public keys (``age1...``, lines of ssh's public key files) or `pathlib.Path` s of files of such lines. `threads` 0 means all cores.
    `progress(done, total)` is called about ten times a second; what it raises ends the operation.
    """
    keys = _lock(recipients, passphrase)
    data, facts = _roundel.seal(
        source, target, keys, passphrase, cipher, key_bits, allow_broken, threads, sync, replace, progress
    )
    return Report(*facts) if data is None else data


@overload
def open(
    source: Source,
    target: None = ...,
    *,
    identities: Identities | None = ...,
    passphrase: str | None = ...,
    threads: int = ...,
    sync: bool = ...,
    replace: bool = ...,
    progress: Progress | None = ...,
) -> bytes: ...
@overload
def open(
    source: Source,
    target: PathText,
    *,
    identities: Identities | None = ...,
    passphrase: str | None = ...,
    threads: int = ...,
    sync: bool = ...,
    replace: bool = ...,
    progress: Progress | None = ...,
) -> Report: ...
def open(
    source: Source,
    target: PathText | None = None,
    *,
    identities: Identities | None = None,
    passphrase: str | None = None,
    threads: int = 0,
    sync: bool = True,
    replace: bool = False,
    progress: Progress | None = None,
) -> bytes | Report:
    """Opens what :func:`seal` made: the counterpart, with the same rules for `source`, `target` and the rest.

    `identities` are paths of key files, or the keys themselves (``AGE-SECRET-KEY-1...``, or an ssh private key's text). Nothing is returned and no
    file appears unless all of it is verified.
    """
    unlock = _unlock(identities, passphrase)
    data, facts = _roundel.open(source, target, unlock, threads, sync, replace, progress)
    return Report(*facts) if data is None else data


def check(
    source: Source,
    *,
    identities: Identities | None = None,
    passphrase: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Verifies all of a sealed file and writes nothing."""
    return Report(*_roundel.check(source, _unlock(identities, passphrase), threads, progress))


def inspect(source: PathText | Buffer) -> Inspection:
    """Reads a header, of a file or from bytes that begin with one, without any key."""
    version, suite, size, kinds, header_bytes, file_bytes, whole = _roundel.inspect(source)
    return Inspection(version, suite, size, tuple(kinds), header_bytes, file_bytes, whole)


class SealedFile(ReaderFile):
    """The plaintext of a sealed file as an unbuffered file object. Made, with a buffer around it, by :func:`open_sealed`."""


def open_sealed(
    source: Source,
    identities: Identities | None = None,
    *,
    passphrase: str | None = None,
    buffer_bytes: int = BUFFER_BYTES,
) -> io.BufferedReader:
    """A sealed file's plaintext as a file object that reads and seeks, decrypting only the chunks of 16 KiB that are touched.

    `source` is a path, data, or a file object that seeks, such as one of `fsspec`. What is read is verified, and so is the end when it is reached;
    a changed chunk raises `DamagedError` when it is touched.
    """
    reader = _roundel.read_sealed(source, _unlock(identities, passphrase))
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else repr(type(source))
    return io.BufferedReader(SealedFile(reader, name), buffer_bytes)
