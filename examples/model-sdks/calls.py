"""Calls of every tool as models make them, and their expected results."""

import json

from model import Model

# The families that a client requests for these tools; by default the list has only memory_*.
FAMILIES = "?tools=memory,triggerfish,maestro"
TOOLS = {"memory", "memory_save", "memory_get", "memory_search", "memory_list", "memory_delete", "UpdateUserMemory", "ReadUserMemory"}

Call = tuple[str, dict, str]  # the tool's name, its arguments, and a part of its result


def calls_of(run: str, fitting: bool = False) -> list[Call]:
    """Returns calls of every tool. run is the key that they use, and delete.

    Some have the JSON of a list or an object as a text, or an unknown parameter, as models write them. With fitting
    none has, for SDKs that check them by the tools' schemas.
    """
    calls = [
        ("memory_save", {"key": run, "content": "Ada drinks her tea at four.", "tags": f'["{run}"]'}, '"saved":true'),
        ("memory_get", {"key": run, "offset": 0}, f'"tags":["{run}"]'),
        ("memory_search", {"query": "when does Ada have tea?", "where": {"tags": {"contains": run}}}, "tea at four"),
        ("memory_search", {"query": "tea", "where": f'{{"tags": {{"contains": "{run}"}}}}', "max_results": 1}, "tea at four"),
        ("memory_search", {"query": "tea", "filter": {"tag": run}}, "filter (did you mean where?)"),
        ("memory_list", {"prefix": run, "tags": [], "limit": 100}, run),
        ("memory", {"command": "create", "path": f"/memories/{run}", "content": '{"at": 4}', "is_json": True}, "overwritten"),
        ("memory", {"command": "view", "path": f"/memories/{run}"}, '"at": 4'),
        ("UpdateUserMemory", {"action": "upsert", "name": run, "type": "user", "description": "tea", "body": "At four."}, '"saved":true'),
        ("ReadUserMemory", {"name": run, "offset": 0}, "At four."),
        ("memory_delete", {"key": run}, '"deleted":true'),
    ]
    if fitting:
        calls = [(name, {k: decoded(k, v) for k, v in arguments.items()}, result) for name, arguments, result in calls if "filter" not in arguments]
    return calls


def decoded(parameter: str, argument: object) -> object:
    return json.loads(argument) if parameter in {"tags", "where"} and isinstance(argument, str) else argument


def unmet(calls: list[Call], model: Model) -> str:
    """Returns the first call whose result was not sent to the model, with the text sent instead: "" if all were sent.

    Each request after a call has its result, which some SDKs encode as JSON once more.
    """
    if len(model.requests) != len(calls) + 1:
        return f"{len(calls)} calls were asked for in {len(model.requests)} requests"
    for (name, arguments, result), request in zip(calls, model.requests[1:]):
        turns = request.get("contents") or request.get("messages") or request["input"]
        last = json.dumps(turns[-1], ensure_ascii=False)
        said = json.dumps(result)[1:-1]
        if said not in last and json.dumps(said)[1:-1] not in last:
            return f"{name} {arguments} does not answer {result}: {last}"
    return ""
