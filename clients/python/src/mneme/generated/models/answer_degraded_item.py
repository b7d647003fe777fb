from typing import Literal

AnswerDegradedItem = Literal['lexical', 'rerank', 'vector', 'vector_lag']

ANSWER_DEGRADED_ITEM_VALUES: set[AnswerDegradedItem] = { 'lexical', 'rerank', 'vector', 'vector_lag',  }

def check_answer_degraded_item(value: str) -> AnswerDegradedItem:
    if value in ANSWER_DEGRADED_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ANSWER_DEGRADED_ITEM_VALUES!r}")
