from typing import Literal

StoreInfoKind = Literal['chat', 'grant', 'self', 'user']

STORE_INFO_KIND_VALUES: set[StoreInfoKind] = { 'chat', 'grant', 'self', 'user',  }

def check_store_info_kind(value: str) -> StoreInfoKind:
    if value in STORE_INFO_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {STORE_INFO_KIND_VALUES!r}")
