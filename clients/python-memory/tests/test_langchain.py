"""LangChain's standard tests of a retriever, and what is ours."""

import asyncio

import pytest
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import create_retriever_tool
from langchain_tests.integration_tests import RetrieversIntegrationTests
from mneme import Invalid, Unauthorized
from mneme_memory.langchain import MnemeRetriever

TEXTS = {
    "tea": "Ada drinks her tea green.",
    "train": "The night train to Lisbon leaves at nine.",
    "cat": "Ada's cat is named Turing.",
    "rent": "The rent of the flat is due on the first.",
    "doctor": "The doctor's practice is closed on Wednesdays.",
}


@pytest.fixture
def memories(client):
    for key, text in TEXTS.items():
        client.put(key, text, tags=["home"], wait=True)
    client.put("prices", {"flat": 900, "note": "monthly"}, namespace="money", wait=True)
    return client


class TestMnemeRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def filled(self, memories):
        """The tests make the retriever themselves, of the environment."""

    @property
    def retriever_constructor(self):
        return MnemeRetriever

    @property
    def retriever_query_example(self):
        return "What does Ada drink?"


def test_a_document_is_an_entry(memories):
    found = MnemeRetriever(client=memories).invoke("when does the train to Lisbon leave?")[0]
    entry, _ = memories.get("train")
    assert (found.page_content, found.id) == (f"[{entry.updated_at:%Y-%m-%d}] {TEXTS['train']}", str(entry.id))
    assert (found.metadata["key"], found.metadata["namespace"], found.metadata["tags"]) == ("train", "", ["home"])
    assert 0 < found.metadata["relevance"] <= 1


def test_a_value_that_is_no_text_is_json_and_metadata(memories):
    found = MnemeRetriever(client=memories, namespace="money", dated=False).invoke("flat")
    assert [(d.page_content, d.metadata["value"]) for d in found] == [('{"flat": 900, "note": "monthly"}', {"flat": 900, "note": "monthly"})]


def test_a_document_shows_no_picture(client):
    url = "data:image/png;base64," + "iVBORw0K" * 500
    client.put("gate", f"The blue gate: {url}", wait=True)
    client.put("door", {"text": "The blue door.", "picture": url}, wait=True)
    found = {d.metadata["key"]: d.page_content for d in MnemeRetriever(client=client, dated=False).invoke("what is blue?")}
    assert found == {"gate": "The blue gate: [image/png, 3 kB]", "door": '{"text": "The blue door.", "picture": "[image/png, 3 kB]"}'}


def test_a_long_text_comes_as_its_best_passages(memories):
    memories.put("diary", "Nothing happened. " * 2000 + "The key is under the blue stone. " + "It rained. " * 2000, wait=True)
    found = MnemeRetriever(client=memories, passages=True, max_tokens=300).invoke("Where is the key?")[0]
    assert "under the blue stone" in found.page_content and len(found.page_content) < 3000


def test_options_are_those_of_the_retriever_or_of_a_call(memories):
    retriever = MnemeRetriever(client=memories, where={"key": {"in": ["tea", "cat"]}})
    assert {d.metadata["key"] for d in retriever.invoke("Ada")} == {"tea", "cat"}
    assert {d.metadata["key"] for d in retriever.invoke("Ada", where={"key": {"eq": "cat"}})} == {"cat"}
    assert retriever.invoke("Ada", match={"none": ["ada"]}) == []
    assert len(asyncio.run(retriever.ainvoke("Ada", k=1))) == 1
    with pytest.raises(TypeError, match="top_k"):
        retriever.invoke("Ada", top_k=3)
    with pytest.raises(ValueError, match="top_k"):
        MnemeRetriever(client=memories, top_k=3)


def test_a_model_reads_of_which_day_a_document_is(memories):
    memories.put("visit", "The dentist filled a tooth.", occurred_at="2021-03", wait=True)
    tool = create_retriever_tool(MnemeRetriever(client=memories, k=1), "memories", "What was remembered.")
    assert tool.invoke({"query": "What did the dentist do?"}) == "[2021-03] The dentist filled a tooth."
    written = memories.get("rent")[0].updated_at
    assert tool.invoke({"query": "When is the rent due?"}) == f"[{written:%Y-%m-%d}] {TEXTS['rent']}"
    plain = MnemeRetriever(client=memories, k=1, dated=False).invoke("What did the dentist do?")[0]
    assert (plain.page_content, plain.metadata["date"]) == ("The dentist filled a tooth.", "2021-03")


def test_it_serves_several_event_loops(memories):
    retriever = MnemeRetriever(client=memories)
    answers = [asyncio.run(retriever.ainvoke("Ada's cat")) for _ in range(2)]
    assert answers[0] == answers[1] and answers[0][0].metadata["key"] == "cat"


def test_it_is_a_step_of_a_chain(memories):
    prompt = ChatPromptTemplate.from_template("{memories}\n{question}")
    text = lambda documents: "\n".join(document.page_content for document in documents)
    chain = {"memories": MnemeRetriever(client=memories, k=1, dated=False) | text, "question": RunnablePassthrough()} | prompt
    assert chain.invoke("What is the cat's name?").to_messages()[0].content == TEXTS["cat"] + "\nWhat is the cat's name?"


def test_a_token_shows_nowhere(memories, monkeypatch):
    retriever = MnemeRetriever(url="http://127.0.0.1:1", token="mneme-secret")
    assert "mneme-secret" not in repr(retriever) + str(retriever.model_dump()) + retriever.model_dump_json()
    monkeypatch.delenv("MNEME_TOKEN")
    with pytest.raises(ValueError, match="MNEME_TOKEN"):
        MnemeRetriever()


def test_what_the_server_refuses_is_its_error(memories):
    with pytest.raises(Invalid) as refused:
        MnemeRetriever(client=memories, where={"colour": {"eq": "a secret"}}).invoke("another secret")
    assert "secret" not in str(refused.value)
    with pytest.raises(Unauthorized):
        MnemeRetriever(url=str(memories._http.base_url), token="none").invoke("Ada")
