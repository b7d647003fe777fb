from typing import Literal

IssuedKeyKind = Literal['api-key', 'token']

ISSUED_KEY_KIND_VALUES: set[IssuedKeyKind] = { 'api-key', 'token',  }

def check_issued_key_kind(value: str) -> IssuedKeyKind:
    if value in ISSUED_KEY_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ISSUED_KEY_KIND_VALUES!r}")
