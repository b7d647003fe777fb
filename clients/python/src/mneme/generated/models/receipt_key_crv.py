from typing import Literal

ReceiptKeyCrv = Literal['Ed25519']

RECEIPT_KEY_CRV_VALUES: set[ReceiptKeyCrv] = { 'Ed25519',  }

def check_receipt_key_crv(value: str) -> ReceiptKeyCrv:
    if value in RECEIPT_KEY_CRV_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {RECEIPT_KEY_CRV_VALUES!r}")
