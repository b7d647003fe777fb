"""Namespaces of labels: ("users", "ada") is mneme's namespace "users.ada", and each can be made of the other."""

import re
import unicodedata
from typing import Any
from urllib.parse import quote, unquote

Namespace = tuple[str, ...]
Condition = dict[str, Any]


def join(labels: Namespace) -> str:
    """Returns mneme's name of a namespace. The server refuses one of more than 256 bytes."""
    return ".".join(escape(label) for label in labels)


def split(namespace: str) -> Namespace:
    """Returns the labels of a namespace that join has made."""
    return tuple(re.sub("(?:%[0-9A-Fa-f]{2})+", lambda m: unquote(m[0]), label) for label in namespace.split(".")) if namespace else ()


def escape(label: str) -> str:
    """Writes with percent signs what a label has and mneme's names do not: dots, control characters, decomposed letters."""
    label = re.sub("%(?=[0-9A-Fa-f]{2})", "%25", label).replace(".", "%2E")
    decomposed = unicodedata.normalize("NFC", label) != label
    return "".join(quote(c) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") or decomposed and not c.isascii() else c for c in label)


def below(prefix: Namespace) -> list[Condition]:
    """Returns the condition that an entry is in a namespace or in one below it; none of the empty one."""
    if not prefix:
        return []
    name = join(prefix)
    return [{"or": [{"namespace": {"eq": name}}, {"namespace": {"prefix": name + "."}}]}]


def key(*parts: str) -> str:
    """Returns a key of parts that may have any characters. The server refuses one of more than 512 bytes."""
    return "/".join(escape(part).replace("/", "%2F") or "%00" for part in parts)
