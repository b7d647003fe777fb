from typing import Literal

FilterOption = Literal['match', 'namespace', 'tags', 'type', 'where']

FILTER_OPTION_VALUES: set[FilterOption] = { 'match', 'namespace', 'tags', 'type', 'where',  }

def check_filter_option(value: str) -> FilterOption:
    if value in FILTER_OPTION_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {FILTER_OPTION_VALUES!r}")
