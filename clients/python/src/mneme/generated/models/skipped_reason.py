from typing import Literal

SkippedReason = Literal['balance', 'cap', 'max_charge', 'not_named', 'spend']

SKIPPED_REASON_VALUES: set[SkippedReason] = { 'balance', 'cap', 'max_charge', 'not_named', 'spend',  }

def check_skipped_reason(value: str) -> SkippedReason:
    if value in SKIPPED_REASON_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SKIPPED_REASON_VALUES!r}")
