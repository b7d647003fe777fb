"""Pictures and files within messages: what is kept or shown has a mark in their place."""

import re
from typing import Any

DATA_URL = re.compile(r"data:([\w.+/=;\"!#$&^-]{0,200});base64,([A-Za-z0-9+/_-]+={0,2})")

MEDIA_TYPES = ("mime_type", "media_type", "mimeType", "mediaType")
BYTES = ("data", "base64")  # the members with bytes in base64 beside a media type


def mark(kind: str, size: int, kept: bool = False) -> str:
    """Returns what takes the place of a file of so many bytes."""
    return f"[{kind or 'file'}, {max(1, size // 1000)} kB{'' if kept else ', not kept'}]"


def in_base64(kind: str, digits: str, kept: bool = False) -> str:
    return mark(kind, len(digits.rstrip("=")) * 3 // 4, kept)


def marked(text: str, kept: bool = False) -> str:
    """Returns a text with marks in place of its data URLs; kept says that the store has the files themselves."""
    return DATA_URL.sub(lambda found: in_base64(found[1].split(";")[0], found[2], kept), text) if ";base64," in text else text


def without_files(value: Any) -> Any:
    """Returns JSON with marks in place of the data URLs in its texts, and in place of the bytes of its files: objects with a
    media type and base64, as models and tools send and answer them."""
    if isinstance(value, str):
        return marked(value)
    if isinstance(value, list):
        return [without_files(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = next((value[name] for name in MEDIA_TYPES if isinstance(value.get(name), str)), "")
    return {name: in_base64(kind, member) if kind and is_base64(name, member) else without_files(member) for name, member in value.items()}


def is_base64(name: str, member: Any) -> bool:
    return name in BYTES and isinstance(member, str) and re.fullmatch(r"[A-Za-z0-9+/_=\s-]+", member) is not None
