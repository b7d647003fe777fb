"""Pydantic AI with a toolset over mneme."""

from conftest import stand_in
from mneme_memory.pydantic_ai import MnemeToolset
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


def ask(model, toolset):
    return Agent(OpenAIChatModel("stand-in", provider=OpenAIProvider(base_url=model.url, api_key="none")), toolsets=[toolset], retries=3).run_sync(
        "What of tea?"
    )


def test_a_model_remembers(client):
    model = stand_in(
        [
            ("save_memory", {"key": "drink", "text": "Ada takes her tea green."}),
            ("search_memory", {"query": "tea"}),
            ("delete_memory", {"key": "drink"}),
            ("search_memory", {"query": "tea", "max_results": 3}),
        ]
    )
    assert ask(model, MnemeToolset(client=client)).output == "done"
    results = [request["messages"][-1]["content"] for request in model.requests[1:]]
    assert results[0] == "saved" and "tea green" in results[1] and results[2:] == ["deleted", '{"memories":[]}']
    declared = {tool["function"]["name"]: tool["function"] for tool in model.requests[0]["tools"]}
    assert declared.keys() == {"search_memory", "save_memory", "delete_memory"}
    assert "question or words" in declared["search_memory"]["parameters"]["properties"]["query"]["description"]


def test_what_the_server_refuses_is_told_to_the_model(client):
    model = stand_in([("save_memory", {"key": "a//b", "text": "a secret"}), ("search_memory", {"query": "tea", "max_results": 1000})])
    assert ask(model, MnemeToolset(client=client)).output == "done"
    results = [request["messages"][-1]["content"] for request in model.requests[1:]]
    assert "422" in results[0] and "secret" not in results[0] and "422" in results[1]


def test_a_toolset_may_only_read(client):
    model = stand_in([])
    ask(model, MnemeToolset(client=client, read_only=True))
    assert [tool["function"]["name"] for tool in model.requests[0]["tools"]] == ["search_memory"]


def test_namespaces_are_apart(client):
    ask(stand_in([("save_memory", {"key": "k", "text": "Tea of one."})]), MnemeToolset(client=client, namespace="one"))
    model = stand_in([("search_memory", {"query": "tea"})])
    ask(model, MnemeToolset(client=client, namespace="two"))
    assert model.requests[1]["messages"][-1]["content"] == '{"memories":[]}'
    assert client.get("k", namespace="one")[0].value == "Tea of one."
