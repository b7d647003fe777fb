from typing import Literal

ProblemX402Version = Literal[1]

PROBLEM_X402_VERSION_VALUES: set[ProblemX402Version] = { 1,  }

def check_problem_x402_version(value: int) -> ProblemX402Version:
    if value in PROBLEM_X402_VERSION_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PROBLEM_X402_VERSION_VALUES!r}")
