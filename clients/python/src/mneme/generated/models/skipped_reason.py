from typing import Literal

SkippedReason = Literal['balance', 'budget', 'cap', 'max_charge', 'not_named', 'prefix', 'spend']

SKIPPED_REASON_VALUES: set[SkippedReason] = { 'balance', 'budget', 'cap', 'max_charge', 'not_named', 'prefix', 'spend',  }

def check_skipped_reason(value: str) -> SkippedReason:
    if value in SKIPPED_REASON_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SKIPPED_REASON_VALUES!r}")
