from typing import Literal

ProblemType = Literal['urn:mneme:problem:cap', 'urn:mneme:problem:client-closed-request', 'urn:mneme:problem:conflict', 'urn:mneme:problem:forbidden', 'urn:mneme:problem:gone', 'urn:mneme:problem:idempotency-key-reused', 'urn:mneme:problem:internal', 'urn:mneme:problem:malformed', 'urn:mneme:problem:method-not-allowed', 'urn:mneme:problem:no-such-call', 'urn:mneme:problem:not-found', 'urn:mneme:problem:payment-required', 'urn:mneme:problem:precondition-failed', 'urn:mneme:problem:quota', 'urn:mneme:problem:rate-limited', 'urn:mneme:problem:request-timeout', 'urn:mneme:problem:rule', 'urn:mneme:problem:too-large', 'urn:mneme:problem:too-many-refusals', 'urn:mneme:problem:too-many-searches', 'urn:mneme:problem:too-many-waits', 'urn:mneme:problem:unauthenticated', 'urn:mneme:problem:unavailable', 'urn:mneme:problem:unsupported-media-type']

PROBLEM_TYPE_VALUES: set[ProblemType] = { 'urn:mneme:problem:cap', 'urn:mneme:problem:client-closed-request', 'urn:mneme:problem:conflict', 'urn:mneme:problem:forbidden', 'urn:mneme:problem:gone', 'urn:mneme:problem:idempotency-key-reused', 'urn:mneme:problem:internal', 'urn:mneme:problem:malformed', 'urn:mneme:problem:method-not-allowed', 'urn:mneme:problem:no-such-call', 'urn:mneme:problem:not-found', 'urn:mneme:problem:payment-required', 'urn:mneme:problem:precondition-failed', 'urn:mneme:problem:quota', 'urn:mneme:problem:rate-limited', 'urn:mneme:problem:request-timeout', 'urn:mneme:problem:rule', 'urn:mneme:problem:too-large', 'urn:mneme:problem:too-many-refusals', 'urn:mneme:problem:too-many-searches', 'urn:mneme:problem:too-many-waits', 'urn:mneme:problem:unauthenticated', 'urn:mneme:problem:unavailable', 'urn:mneme:problem:unsupported-media-type',  }

def check_problem_type(value: str) -> ProblemType:
    if value in PROBLEM_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PROBLEM_TYPE_VALUES!r}")
