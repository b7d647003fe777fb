from typing import Literal

EntryExplanationOutcome = Literal['below_min_relevance', 'beyond_depth', 'beyond_limit', 'beyond_max_tokens', 'encrypted', 'filtered', 'hit', 'not_found', 'not_in_context', 'not_in_cursor', 'not_retrieved', 'store_not_searched']

ENTRY_EXPLANATION_OUTCOME_VALUES: set[EntryExplanationOutcome] = { 'below_min_relevance', 'beyond_depth', 'beyond_limit', 'beyond_max_tokens', 'encrypted', 'filtered', 'hit', 'not_found', 'not_in_context', 'not_in_cursor', 'not_retrieved', 'store_not_searched',  }

def check_entry_explanation_outcome(value: str) -> EntryExplanationOutcome:
    if value in ENTRY_EXPLANATION_OUTCOME_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ENTRY_EXPLANATION_OUTCOME_VALUES!r}")
