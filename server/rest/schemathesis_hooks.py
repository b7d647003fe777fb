"""What schemathesis cannot read in openapi.yaml, for SCHEMATHESIS_HOOKS."""

import copy
import json
from typing import Any

import schemathesis


@schemathesis.hook
def before_load_schema(ctx: Any, schema: dict[str, Any]) -> None:
    """HEAD is answered wherever GET is."""
    for item in schema["paths"].values():
        if "get" in item:
            item["head"] = copy.deepcopy(item["get"])
            item["head"]["operationId"] += "Head"


@schemathesis.hook
def filter_case(ctx: Any, case: Any) -> bool:
    """An empty parameter is as none, which no schema says."""
    return not any(value in ("", [""]) for value in (case.query or {}).values())


@schemathesis.serializer("application/x-ndjson")
def lines(ctx: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"
