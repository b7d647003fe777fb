from typing import Literal

Scope = Literal['platform', 'share', 'spend']

SCOPE_VALUES: set[Scope] = { 'platform', 'share', 'spend',  }

def check_scope(value: str) -> Scope:
    if value in SCOPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SCOPE_VALUES!r}")
