"""Long-term memory of LlamaIndex: MnemeMemoryBlock is a block of its Memory."""

import asyncio
from typing import Any
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage, TextBlock
from llama_index.core.bridge.pydantic import Field, PrivateAttr, SecretStr
from llama_index.core.memory import BaseMemoryBlock
from mneme import Mneme

from . import attachment, connection
from .collection import Collection, date_of, question, text_of


class MnemeMemoryBlock(BaseMemoryBlock[str]):
    """Keeps the messages that leave the chat history, and recalls those that fit the last ones.

    Messages of all sessions are kept in one namespace, and all are recalled, unless same_session limits them to those
    of the session that asks. Of pictures and files beside a text a mark is kept.

    url, token, store and client are as for mneme_memory.langgraph.MnemeStore, and so are the errors.
    """

    name: str = Field(default="memories", description="The name of the block.")
    url: str | None = None
    token: SecretStr | None = Field(default=None, exclude=True, repr=False)
    client: Mneme | None = Field(default=None, exclude=True, repr=False)
    store: str = Field(default="self", description="The store that the memories are in.")
    namespace: str = Field(default="llamaindex", description="The namespace that they are in.")
    k: int = Field(default=5, ge=1, le=100, description="Memories that are recalled at once, at most.")
    context_messages: int = Field(default=1, ge=1, description="The last messages, of which the question is made.")
    min_relevance: float | None = Field(default=None, ge=0, le=1, description="The least relevance, a probability.")
    same_session: bool = Field(default=False, description="Whether only memories of the same session are recalled.")

    _entries: Collection = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Connects, so that a missing token shows where the block is made."""
        super().model_post_init(context)
        client = self.client or connection.connect(self.url, self.token.get_secret_value() if self.token else None)
        self._entries = Collection(client, self.store, (self.namespace,))

    async def _aget(self, messages: list[ChatMessage] | None = None, session_id: str | None = None, **block_kwargs: Any) -> str:
        asked = " ".join(filter(None, map(text_of_message, (messages or [])[-self.context_messages :])))
        where = {"value.session": {"eq": session_id}} if self.same_session and session_id else None
        hits = await asyncio.to_thread(self._entries.search, question(asked), self.k, where=where, min_relevance=self.min_relevance)
        return "\n".join(f"[{date}] {text_of(hit)}" if (date := date_of(hit)) else text_of(hit) for hit in hits)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        items = []
        for message in messages:
            if text_of_message(message) and (text := kept_text(message)):
                value = {"text": text, "role": message.role.value, "session": message.additional_kwargs.get("session_id")}
                items.append({"key": uuid4().hex, "value": {name: member for name, member in value.items() if member is not None}})
        await asyncio.to_thread(self._entries.put, items)


def kept_text(message: ChatMessage) -> str:
    """Returns the texts of a message, and marks of the files beside them."""
    return " ".join(filter(None, map(text_of_block, message.blocks)))


def text_of_block(block: Any) -> str:
    if isinstance(block, TextBlock):
        return attachment.marked(block.text)
    for name, kind in (("image", "image"), ("audio", "audio"), ("video", "video"), ("data", "file")):
        data = getattr(block, name, None)
        if isinstance(data, bytes) and data:  # base64, as the blocks keep their bytes
            given = getattr(block, f"{name}_mimetype", None) or getattr(block, "document_mimetype", None) or kind
            return attachment.in_base64(str(given), data.decode("ascii", "replace"))
    return attachment.marked(url) if (url := str(getattr(block, "url", None) or "")).startswith("data:") else ""


def text_of_message(message: ChatMessage) -> str:
    return " ".join(block.text for block in message.blocks if isinstance(block, TextBlock))
