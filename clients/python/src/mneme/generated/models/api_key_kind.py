from typing import Literal

APIKeyKind = Literal['api-key', 'token']

API_KEY_KIND_VALUES: set[APIKeyKind] = { 'api-key', 'token',  }

def check_api_key_kind(value: str) -> APIKeyKind:
    if value in API_KEY_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {API_KEY_KIND_VALUES!r}")
