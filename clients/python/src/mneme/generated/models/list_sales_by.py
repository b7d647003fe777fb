from typing import Literal

ListSalesBy = Literal['buyer', 'day', 'offer']

LIST_SALES_BY_VALUES: set[ListSalesBy] = { 'buyer', 'day', 'offer',  }

def check_list_sales_by(value: str) -> ListSalesBy:
    if value in LIST_SALES_BY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_SALES_BY_VALUES!r}")
