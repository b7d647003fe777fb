"""Client of mneme: memory search for AI agents."""

from .aio import AsyncMneme
from .client import Mneme
from .error import (
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    MnemeError,
    NotFound,
    PaymentRequired,
    PreconditionFailed,
    TooManyRequests,
    TransportFailed,
    Unauthorized,
    Unavailable,
    UnreadableAnswer,
)
from .generated.types import UNSET

__all__ = [
    "UNSET",
    "AsyncMneme",
    "Conflict",
    "Forbidden",
    "Gone",
    "Invalid",
    "Mneme",
    "MnemeError",
    "NotFound",
    "PaymentRequired",
    "PreconditionFailed",
    "TooManyRequests",
    "TransportFailed",
    "Unauthorized",
    "Unavailable",
    "UnreadableAnswer",
]
