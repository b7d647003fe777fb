"""Filters of LangGraph's searches: {"price": {"$gte": 5}, "user": {"age": 5}}, or {"user.age": 5}."""

import math
from collections.abc import Callable
from typing import Any

from .name import Condition

MAX_CONDITIONS = 16  # that one filter gives the server; the rest is judged here

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: float(a) > float(b),
    "$gte": lambda a, b: float(a) >= float(b),
    "$lt": lambda a, b: float(a) < float(b),
    "$lte": lambda a, b: float(a) <= float(b),
}


def conditions(wanted: dict[str, Any] | None, path: str = "value") -> list[Condition]:
    """Returns what of a filter the server can select by. passes judges the whole of it again."""
    found: list[Condition] = []
    for name, test in (wanted or {}).items():
        field = f"{path}.{name}"
        if "." in name or not name or len(found) >= MAX_CONDITIONS:
            continue
        if isinstance(test, dict) and not any(key.startswith("$") for key in test):
            found += conditions(test, field)
        for operator, operand in (test if isinstance(test, dict) else {"$eq": test}).items():
            if operand is None and operator == "$eq":
                found.append({field: {"exists": False}})
            elif operator == "$eq" and (is_number(operand) or isinstance(operand, str) and is_operand(operand)):
                found.append({field: {"eq": operand}})
            elif operator in ("$gt", "$gte", "$lt", "$lte") and is_number(operand):
                found.append({field: {operator[1:]: operand}})
    return found


def is_operand(text: str) -> bool:
    return len(text.encode()) <= 512 and "\0" not in text


def is_number(operand: Any) -> bool:
    return isinstance(operand, (bool, int)) or isinstance(operand, float) and math.isfinite(operand)


def member(value: dict[str, Any], name: str) -> Any:
    """Returns a member of an object, or of the objects in it: "user.age"."""
    first, dot, rest = name.partition(".")
    if name in value or not dot:
        return value.get(name)
    return member(value[first], rest) if isinstance(value.get(first), dict) else None


def passes(value: Any, wanted: Any) -> bool:
    """Reports whether a value has the members that a filter names, with these values.

    ValueError names an operator that filters do not have.
    """
    return not wanted or all(fits(member(value, name), test) for name, test in wanted.items())


def fits(held: Any, test: Any) -> bool:
    if isinstance(test, dict) and any(name.startswith("$") for name in test):
        for name, operand in test.items():
            if name not in COMPARE:
                raise ValueError(f"filters have no operator {name}")
            if name not in ("$eq", "$ne") and not is_number(held) or not COMPARE[name](held, operand):
                return False
        return True
    if isinstance(test, dict):
        return isinstance(held, dict) and all(fits(held.get(name), each) for name, each in test.items())
    if isinstance(test, (list, tuple)):
        return isinstance(held, (list, tuple)) and len(held) == len(test) and all(map(fits, held, test))
    return bool(held == test)
