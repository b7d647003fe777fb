from typing import Literal

PutMemoryWait = Literal['indexed']

PUT_MEMORY_WAIT_VALUES: set[PutMemoryWait] = { 'indexed',  }

def check_put_memory_wait(value: str) -> PutMemoryWait:
    if value in PUT_MEMORY_WAIT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PUT_MEMORY_WAIT_VALUES!r}")
