"""Tools of Pydantic AI: MnemeToolset is a toolset by which an agent remembers."""

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from mneme import Mneme, MnemeError
from pydantic_ai import FunctionToolset, ModelRetry

from . import connection
from .tools import MemoryTools


class MnemeToolset(FunctionToolset[Any]):
    """The tools search_memory, save_memory and delete_memory, over a namespace of its own.

    What the server refuses is told to the model, which may try again. With read_only there is search_memory alone.
    url, token, store and client are as for mneme_memory.langgraph.MnemeStore; id is the toolset's, as durable execution
    needs it.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        store: str = "self",
        *,
        namespace: str = "pydantic-ai",
        read_only: bool = False,
        id: str | None = "mneme",
        client: Mneme | None = None,
    ) -> None:
        tools = MemoryTools(client or connection.connect(url, token), store, namespace)
        super().__init__([told(tool) for tool in tools.all(read_only)], id=id)


def told(tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Returns the tool, whose refusals by the server the model is told."""

    @functools.wraps(tool)
    async def call(**arguments: Any) -> Any:
        try:
            return await tool(**arguments)
        except (MnemeError, connection.ItemRefused) as refused:
            raise ModelRetry(str(refused)) from refused

    return call
