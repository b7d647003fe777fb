from typing import Literal

LiveStatus = Literal['live']

LIVE_STATUS_VALUES: set[LiveStatus] = { 'live',  }

def check_live_status(value: str) -> LiveStatus:
    if value in LIVE_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIVE_STATUS_VALUES!r}")
