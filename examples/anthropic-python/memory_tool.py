"""Anthropic's memory tool (memory_20250818) with its files in mneme.

Give MnemeMemoryTool() to client.beta.messages.run_tools(tools=[…]): the SDK
calls it for every command of the model, and it hands each on to mneme's tool
of the same name, whose texts are the ones that the model was trained on.
"""

import os

import httpx
from anthropic.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818Command,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)


class MnemeMemoryTool(BetaAbstractMemoryTool):
    """The token determines whose memories these are; no command of the model can change that."""

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        super().__init__()
        self._http = httpx.Client(
            base_url=url or os.environ.get("MNEME_URL", "http://127.0.0.1:7077"),
            headers={"Authorization": f"Bearer {token or os.environ['MNEME_TOKEN']}"},
            timeout=60,
        )

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._hand_on(command)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._hand_on(command)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._hand_on(command)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self._hand_on(command)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._hand_on(command)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._hand_on(command)

    def _hand_on(self, command: BetaMemoryTool20250818Command) -> str:
        response = self._http.post("/v1/tools/memory", json=command.model_dump(exclude_none=True))
        response.raise_for_status()  # 401 and the like: not for the model to fix
        result = response.json()
        if result["is_error"]:
            raise ToolError(result["content"])  # the SDK passes it to the model, with is_error
        return result["content"]
