from typing import Literal

Label = Literal['CONFIDENTIAL', 'INTERNAL', 'PUBLIC', 'RESTRICTED']

LABEL_VALUES: set[Label] = { 'CONFIDENTIAL', 'INTERNAL', 'PUBLIC', 'RESTRICTED',  }

def check_label(value: str) -> Label:
    if value in LABEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LABEL_VALUES!r}")
