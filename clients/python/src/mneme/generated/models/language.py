from typing import Literal

Language = Literal['auto', 'english', 'multilingual']

LANGUAGE_VALUES: set[Language] = { 'auto', 'english', 'multilingual',  }

def check_language(value: str) -> Language:
    if value in LANGUAGE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LANGUAGE_VALUES!r}")
