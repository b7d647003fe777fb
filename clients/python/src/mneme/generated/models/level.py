from typing import Literal

Level = Literal['read', 'readwrite', 'search']

LEVEL_VALUES: set[Level] = { 'read', 'readwrite', 'search',  }

def check_level(value: str) -> Level:
    if value in LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LEVEL_VALUES!r}")
