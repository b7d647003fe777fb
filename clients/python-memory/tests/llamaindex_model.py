"""The model that LlamaIndex has for tests, which asks the stand-in for OpenAI's API what to say."""

import json
import os
from collections.abc import Sequence
from typing import Any
from urllib.request import Request, urlopen

from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM


def answer(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
    asked = {
        "messages": [{"role": message.role.value, "content": message.content} for message in messages],
        "tools": [tool.metadata.to_openai_tool() for tool in options.get("tools") or []],
    }
    request = Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(asked).encode())
    with urlopen(request) as response:
        message = json.load(response)["choices"][0]["message"]
    calls = [
        ToolCallBlock(tool_call_id=call["id"], tool_name=call["function"]["name"], tool_kwargs=json.loads(call["function"]["arguments"]))
        for call in message.get("tool_calls", [])
    ]
    return ChatMessage(role="assistant", blocks=calls) if calls else ChatMessage(role="assistant", content=message["content"])


def use() -> None:
    Settings.llm = MockFunctionCallingLLM(response_generator=answer)
