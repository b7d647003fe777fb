from typing import Literal

QuestionMode = Literal['hybrid', 'lexical', 'vector']

QUESTION_MODE_VALUES: set[QuestionMode] = { 'hybrid', 'lexical', 'vector',  }

def check_question_mode(value: str) -> QuestionMode:
    if value in QUESTION_MODE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {QUESTION_MODE_VALUES!r}")
