from typing import Literal

IssuedKeyState = Literal['expired', 'revoked', 'valid']

ISSUED_KEY_STATE_VALUES: set[IssuedKeyState] = { 'expired', 'revoked', 'valid',  }

def check_issued_key_state(value: str) -> IssuedKeyState:
    if value in ISSUED_KEY_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ISSUED_KEY_STATE_VALUES!r}")
