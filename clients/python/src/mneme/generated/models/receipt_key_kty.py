from typing import Literal

ReceiptKeyKty = Literal['OKP']

RECEIPT_KEY_KTY_VALUES: set[ReceiptKeyKty] = { 'OKP',  }

def check_receipt_key_kty(value: str) -> ReceiptKeyKty:
    if value in RECEIPT_KEY_KTY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {RECEIPT_KEY_KTY_VALUES!r}")
