from typing import Literal

ChargeState = Literal['done', 'pending', 'refunded', 'reversed']

CHARGE_STATE_VALUES: set[ChargeState] = { 'done', 'pending', 'refunded', 'reversed',  }

def check_charge_state(value: str) -> ChargeState:
    if value in CHARGE_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHARGE_STATE_VALUES!r}")
