from typing import Literal

QuestionRanking = Literal['relevance', 'rrf']

QUESTION_RANKING_VALUES: set[QuestionRanking] = { 'relevance', 'rrf',  }

def check_question_ranking(value: str) -> QuestionRanking:
    if value in QUESTION_RANKING_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {QUESTION_RANKING_VALUES!r}")
