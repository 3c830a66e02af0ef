"""Symmetric ciphers in many strategies, and sealed files, over the Rust library roundel.

=====================================  ========================================================
to                                     call
=====================================  ========================================================
encrypt with a mode of PEP 272         :func:`new`, or :func:`encrypt` and :func:`decrypt`
authenticate, with one key many times  :class:`Gcm`
seal files, and open them              :func:`seal`, :func:`open`, :func:`check`, :func:`inspect`
read parts of a sealed file            :func:`open_sealed`
encrypt disk sectors                   :class:`Sectors`
read BitLocker volumes                 :mod:`roundel.volume`
see, prove and measure the ciphers     :func:`ciphers`, :func:`strategies`, :func:`verify`, :func:`bench`
ask what would run, and how long       :func:`plan`, :func:`predict`
encrypt tables and datasets            :mod:`roundel.columns`, :mod:`roundel.dataset`
=====================================  ========================================================

Data is any object with the buffer protocol. While a call works on a buffer, no other thread may write to it.
"""

from . import volume
from ._roundel import Cipher, Gcm, GcmCipher, Sectors
from .ciphers import decrypt, encrypt, new
from .errors import (
    AuthenticationError,
    DamagedError,
    ParameterError,
    RoundelError,
    TruncatedError,
    WrongKeyError,
)
from .lab import bench, ciphers, plan, predict, strategies, verify
from .sealed import (
    Inspection,
    Keypair,
    Report,
    SealedFile,
    check,
    inspect,
    keygen,
    open,
    open_sealed,
    seal,
)

__version__ = "0.1.0"

__all__ = [
    "AuthenticationError",
    "Cipher",
    "DamagedError",
    "Gcm",
    "GcmCipher",
    "Inspection",
    "Keypair",
    "ParameterError",
    "Report",
    "RoundelError",
    "SealedFile",
    "Sectors",
    "TruncatedError",
    "WrongKeyError",
    "bench",
    "check",
    "ciphers",
    "decrypt",
    "encrypt",
    "inspect",
    "keygen",
    "new",
    "open",
    "open_sealed",
    "plan",
    "predict",
    "seal",
    "strategies",
    "verify",
    "volume",
]
