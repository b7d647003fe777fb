from typing import Literal

BatchItemOp = Literal['delete', 'get', 'put']

BATCH_ITEM_OP_VALUES: set[BatchItemOp] = { 'delete', 'get', 'put',  }

def check_batch_item_op(value: str) -> BatchItemOp:
    if value in BATCH_ITEM_OP_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {BATCH_ITEM_OP_VALUES!r}")
