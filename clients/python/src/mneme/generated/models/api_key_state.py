from typing import Literal

APIKeyState = Literal['expired', 'revoked', 'valid']

API_KEY_STATE_VALUES: set[APIKeyState] = { 'expired', 'revoked', 'valid',  }

def check_api_key_state(value: str) -> APIKeyState:
    if value in API_KEY_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {API_KEY_STATE_VALUES!r}")
