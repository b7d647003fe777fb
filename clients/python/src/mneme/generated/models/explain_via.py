from typing import Literal

ExplainVia = Literal['chat', 'grant', 'own', 'user']

EXPLAIN_VIA_VALUES: set[ExplainVia] = { 'chat', 'grant', 'own', 'user',  }

def check_explain_via(value: str) -> ExplainVia:
    if value in EXPLAIN_VIA_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {EXPLAIN_VIA_VALUES!r}")
