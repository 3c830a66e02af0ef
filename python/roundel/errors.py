"""What can go wrong. Every message is one sentence: what happened, and what to try.

What the system refuses is the usual ``OSError`` (``FileNotFoundError``, ``FileExistsError``, ``PermissionError``, ...), and an object without a
suitable buffer is the usual ``TypeError`` or ``BufferError``.
"""

__all__ = [
    "AuthenticationError",
    "DamagedError",
    "ParameterError",
    "RoundelError",
    "TruncatedError",
    "WrongKeyError",
]


class RoundelError(Exception):
    """Any failure that is roundel's own."""


class ParameterError(RoundelError, ValueError):
    """An argument makes no sense: an unknown name, a key or a message of the wrong length."""


class AuthenticationError(RoundelError):
    """The tag is wrong, because of a wrong key or changed data: nothing was decrypted."""


class DamagedError(AuthenticationError):
    """Sealed data was changed, or is not sealed data at all."""


class TruncatedError(DamagedError):
    """Sealed data ends too early."""


class WrongKeyError(RoundelError):
    """No given identity or passphrase opens the file."""
