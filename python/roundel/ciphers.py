"""PEP 272's way to ciphers: `new`, and encryption of one message in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, overload

from ._roundel import Cipher, Gcm, GcmCipher
from .errors import ParameterError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["decrypt", "encrypt", "new"]

Mode: TypeAlias = Literal["ecb", "cbc", "ctr", "xts", "gcm"]


@overload
def new(
    cipher: str,
    key: Buffer,
    *,
    mode: Literal["gcm"],
    nonce: Buffer | None = ...,
    iv: Buffer | None = ...,
    strategy: str | None = ...,
    allow_timing_leaks: bool = ...,
) -> GcmCipher: ...
@overload
def new(
    cipher: str,
    key: Buffer,
    *,
    mode: Literal["ecb", "cbc", "ctr", "xts"],
    nonce: Buffer | None = ...,
    iv: Buffer | None = ...,
    unit_bytes: int = ...,
    unit: int = ...,
    strategy: str | None = ...,
    allow_timing_leaks: bool = ...,
) -> Cipher: ...
def new(
    cipher: str,
    key: Buffer,
    *,
    mode: Mode,
    nonce: Buffer | None = None,
    iv: Buffer | None = None,
    unit_bytes: int = 512,
    unit: int = 0,
    strategy: str | None = None,
    allow_timing_leaks: bool = False,
) -> Cipher | GcmCipher:
    """A cipher under a key in a mode, ready for one message.

    ======  =============================================================================================================
    mode    takes
    ======  =============================================================================================================
    gcm     `nonce`, 12 bytes, never used before under this key
    ctr     `nonce`, up to a block: the first counter block, filled up with zeros; or `iv`, the whole block
    cbc     `iv`, a block, drawn at random
    ecb     nothing; equal blocks give equal ciphertext: for interoperability only
    xts     a key of two halves; `unit_bytes`, the length of a data unit (sector), and `unit`, the number of the first one
    ======  =============================================================================================================

    Only gcm authenticates. `strategy` names one of :func:`roundel.strategies`; unasked, the fastest one whose timing does not depend on secrets runs, and with
    `allow_timing_leaks` the fastest of all.
    """
    if nonce is not None and iv is not None:
        raise ParameterError("nonce and iv are two names for one thing: give one of them")
    given = iv if nonce is None else nonce
    if mode == "gcm":
        if given is None:
            raise ParameterError("gcm needs nonce=: 12 bytes, never used before under this key")
        gcm = Gcm(cipher, key, strategy=strategy, allow_timing_leaks=allow_timing_leaks)
        return gcm.message(given)
    if mode == "ctr" and nonce is not None:
        given = _counter_block(cipher, nonce)
    if mode in ("ctr", "cbc") and given is None:
        name = "nonce" if mode == "ctr" else "iv"
        raise ParameterError(f"{mode} needs {name}=, which must not be used for another message")
    return Cipher(cipher, key, mode, given, unit_bytes, unit, strategy, allow_timing_leaks)


def _counter_block(cipher: str, nonce: Buffer) -> bytes:
    from .lab import block_bytes

    size = block_bytes(cipher)
    start = bytes(nonce)
    if not 0 < len(start) <= size:
        raise ParameterError(f"ctr takes a nonce of 1 to {size} bytes, not {len(start)}")
    return start.ljust(size, b"\0")


def encrypt(
    cipher: str,
    key: Buffer,
    data: Buffer,
    *,
    mode: Mode,
    nonce: Buffer | None = None,
    iv: Buffer | None = None,
    associated_data: Buffer | None = None,
    unit_bytes: int = 512,
    unit: int = 0,
    strategy: str | None = None,
    allow_timing_leaks: bool = False,
) -> bytes:
    """Encrypts one message; see :func:`new` for the arguments. With gcm the tag's 16 bytes follow the ciphertext.

    For many messages under one key make one :class:`Gcm`, or one object for each message by :func:`new`: making a key costs more than a short message.
    """
    if mode == "gcm":
        gcm = Gcm(cipher, key, strategy=strategy, allow_timing_leaks=allow_timing_leaks)
        return gcm.encrypt(_gcm_nonce(nonce, iv), data, associated_data)
    _no_associated_data(mode, associated_data)
    return new(
        cipher,
        key,
        mode=mode,
        nonce=nonce,
        iv=iv,
        unit_bytes=unit_bytes,
        unit=unit,
        strategy=strategy,
        allow_timing_leaks=allow_timing_leaks,
    ).encrypt(data)


def decrypt(
    cipher: str,
    key: Buffer,
    data: Buffer,
    *,
    mode: Mode,
    nonce: Buffer | None = None,
    iv: Buffer | None = None,
    associated_data: Buffer | None = None,
    unit_bytes: int = 512,
    unit: int = 0,
    strategy: str | None = None,
    allow_timing_leaks: bool = False,
) -> bytes:
    """The inverse of :func:`encrypt`. With gcm a wrong tag is `AuthenticationError`; the other modes do not notice changes."""
    if mode == "gcm":
        gcm = Gcm(cipher, key, strategy=strategy, allow_timing_leaks=allow_timing_leaks)
        return gcm.decrypt(_gcm_nonce(nonce, iv), data, associated_data)
    _no_associated_data(mode, associated_data)
    return new(
        cipher,
        key,
        mode=mode,
        nonce=nonce,
        iv=iv,
        unit_bytes=unit_bytes,
        unit=unit,
        strategy=strategy,
        allow_timing_leaks=allow_timing_leaks,
    ).decrypt(data)


def _gcm_nonce(nonce: Buffer | None, iv: Buffer | None) -> Buffer:
    given = [one for one in (nonce, iv) if one is not None]
    if len(given) != 1:
        raise ParameterError("gcm needs nonce=: 12 bytes, never used before under this key")
    return given[0]


def _no_associated_data(mode: str, associated_data: Buffer | None) -> None:
    if associated_data is not None:
        raise ParameterError(f"{mode} authenticates nothing: associated_data is for gcm")
