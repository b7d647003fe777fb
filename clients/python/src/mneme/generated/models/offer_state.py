from typing import Literal

OfferState = Literal['open', 'withdrawn']

OFFER_STATE_VALUES: set[OfferState] = { 'open', 'withdrawn',  }

def check_offer_state(value: str) -> OfferState:
    if value in OFFER_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {OFFER_STATE_VALUES!r}")
