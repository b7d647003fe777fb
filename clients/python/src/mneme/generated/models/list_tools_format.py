from typing import Literal

ListToolsFormat = Literal['anthropic', 'openai']

LIST_TOOLS_FORMAT_VALUES: set[ListToolsFormat] = { 'anthropic', 'openai',  }

def check_list_tools_format(value: str) -> ListToolsFormat:
    if value in LIST_TOOLS_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_TOOLS_FORMAT_VALUES!r}")
