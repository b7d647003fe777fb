"""Retrieval of LangChain: MnemeRetriever is a BaseRetriever."""

import asyncio
import json
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from mneme import Mneme
from mneme.generated.models import Hit
from pydantic import ConfigDict, Field, PrivateAttr, SecretStr

from . import attachment, connection
from .collection import date_of


class MnemeRetriever(BaseRetriever):
    """Finds memories by words and meaning.

    A document's text is the entry's value, as JSON unless it is a text, or its best passages, after its date in
    brackets unless dated is False; its id is the entry's. Its metadata has what the server tells of the hit, above all
    key, namespace and relevance, its date, and a value that is not a text. The fields from k to passages may be given with a call, too: retriever.invoke(question, k=3).

    url and token, by default MNEME_URL and MNEME_TOKEN, say which server, and as whom; client, if given, is used in
    their place. Calls raise mneme's errors, and TypeError for an option that is none of these.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    url: str | None = None
    token: SecretStr | None = Field(default=None, exclude=True, repr=False)
    client: Mneme | None = Field(default=None, exclude=True, repr=False)

    k: int = Field(default=4, ge=1, le=100, description="Documents of one answer, at most.")
    stores: list[str] | None = Field(default=None, description="Stores to search; None: all that the caller reaches.")
    namespace: str | None = Field(default=None, description="The namespace of what is found.")
    type: str | None = Field(default=None, description="The type of what is found.")
    where: dict[str, Any] | None = Field(default=None, description="Conditions on entries.")
    match: dict[str, Any] | None = Field(default=None, description="Words that must, or must not, be there.")
    min_relevance: float | None = Field(default=None, ge=0, le=1, description="The least relevance, a probability.")
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens of the whole answer, at most.")
    passages: bool | None = Field(default=None, description="Whether long values come as their best passages.")

    dated: bool = Field(default=True, description="Whether texts begin with the day of which they are.")

    _connected: Mneme = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Connects, so that a missing token shows where the retriever is made."""
        super().model_post_init(context)
        self._connected = self.client or connection.connect(self.url, self.token.get_secret_value() if self.token else None)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any) -> list[Document]:
        return self._find(query, options)

    async def _aget_relevant_documents(self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any) -> list[Document]:
        return await asyncio.to_thread(self._find, query, options)

    def _find(self, query: str, options: dict[str, Any]) -> list[Document]:
        names = ("k", "stores", "namespace", "type", "where", "match", "min_relevance", "max_tokens", "passages")
        if unknown := options.keys() - set(names):
            raise TypeError(f"a search has no option {', '.join(sorted(unknown))}; those of MnemeRetriever are {', '.join(names)}")
        asked = {name: getattr(self, name) for name in names} | options
        return [document(hit, self.dated) for hit in self._connected.search(query, limit=asked.pop("k"), **asked).hits]


def document(hit: Hit, dated: bool) -> Document:
    """Returns a hit as a document; dated says that its text begins with its date."""
    told = hit.to_dict()
    value, passages, id = told.pop("value", ""), told.pop("passages", None), told.pop("id", None)
    if passages:
        text = "\n…\n".join(passage["text"] for passage in passages)
    elif isinstance(value, str):
        text = attachment.marked(value, kept=True)
    else:
        text = attachment.marked(json.dumps(value, ensure_ascii=False), kept=True)
        told["value"] = value
    if date := date_of(hit):
        told["date"] = date
        text = f"[{date}] {text}" if dated else text
    return Document(text, id=id, metadata=told)
