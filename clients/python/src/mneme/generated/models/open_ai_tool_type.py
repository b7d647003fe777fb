from typing import Literal

OpenAIToolType = Literal['function']

OPEN_AI_TOOL_TYPE_VALUES: set[OpenAIToolType] = { 'function',  }

def check_open_ai_tool_type(value: str) -> OpenAIToolType:
    if value in OPEN_AI_TOOL_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {OPEN_AI_TOOL_TYPE_VALUES!r}")
