from typing import Literal

AnswerReason = Literal['no_words', 'nothing_then']

ANSWER_REASON_VALUES: set[AnswerReason] = { 'no_words', 'nothing_then',  }

def check_answer_reason(value: str) -> AnswerReason:
    if value in ANSWER_REASON_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ANSWER_REASON_VALUES!r}")
