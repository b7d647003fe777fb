"""Client of mneme: memory search for AI agents."""

from .client import Mneme
from .error import (
    Conflict, Forbidden, Gone, Invalid, MnemeError, NotFound, PaymentRequired, PreconditionFailed, TooManyRequests,
    Unauthorized, Unavailable,
)

__all__ = [
    "Conflict", "Forbidden", "Gone", "Invalid", "Mneme", "MnemeError", "NotFound", "PaymentRequired",
    "PreconditionFailed", "TooManyRequests", "Unauthorized", "Unavailable",
]
