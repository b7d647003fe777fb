"""Hindsight, in the process of another Python: see indexes.Hindsight.

Reads the pickled collection from standard input, then a line of JSON per call, a name and its
arguments. Answers each by a line: what it returned, or an error.
"""

import asyncio
import importlib.metadata
import json
import os
import pickle
import sys

from hindsight_api import Embeddings, MemoryEngine, RequestContext
from hindsight_api.engine.cross_encoder import RRFPassthroughCrossEncoder

HITS = 10
BATCH = 500  # texts of a retain


class Given(Embeddings):
    """Precomputed vectors, by text."""

    provider_name = "given"

    def __init__(self, collection):
        self.vectors = dict(zip(collection.texts, collection.vectors)) | dict(zip(collection.queries, collection.query_vectors))
        self.width = collection.vectors.shape[1]

    @property
    def dimension(self):
        return self.width

    async def initialize(self):
        pass

    async def encode(self, texts):
        return [self.vectors[text].tolist() for text in texts]


class Memories:
    """A bank for each store. Each text is stored as one chunk, since there is no model that extracts facts."""

    def __init__(self, collection):
        self.collection = collection
        self.numbers = {text: number for number, text in enumerate(collection.texts)}
        self.engine = MemoryEngine(db_url="pg0", embeddings=Given(collection), cross_encoder=RRFPassthroughCrossEncoder())
        self.context = RequestContext()

    async def start(self):
        await self.engine.initialize()
        return f"hindsight-api-slim {importlib.metadata.version('hindsight-api-slim')}"

    async def build(self):
        for store, rows in self.collection.rows.items():
            for start in range(0, len(rows), BATCH):
                # Without a date, which would be added to the text before embedding.
                contents = [{"content": self.collection.texts[n], "event_date": None} for n in rows[start : start + BATCH]]
                await self.engine.retain_batch_async(store, contents, request_context=self.context)

    def recall(self, i, **options):
        store, query = self.collection.query_stores[i], self.collection.queries[i]
        return self.engine.recall_async(store, query, request_context=self.context, **options)

    async def hybrid(self, i):
        found = await self.recall(i)
        return [self.numbers[fact.text] for fact in found.results[:HITS]]

    async def vectors(self, i):
        """Its vector leg, from a trace of the search."""
        trace = (await self.recall(i, enable_trace=True)).trace
        (leg,) = (leg for leg in trace["retrieval_results"] if (leg["method_name"], leg["fact_type"]) == ("semantic", "world"))
        return [self.numbers[fact["text"]] for fact in leg["results"][:HITS]]

    async def stop(self):
        await self.engine.close()


async def main(calls, answers):
    memories = Memories(pickle.load(calls))
    for line in calls:
        name, *given = json.loads(line)
        try:
            result, failure = await getattr(memories, name)(*given), None
        except Exception as error:  # of the peer: its row reports it
            result, failure = None, f"{type(error).__name__}: {str(error)[:300]}"
        answers.write(json.dumps([result, failure]) + "\n")
        answers.flush()


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # other output goes to the log
        asyncio.run(main(sys.stdin.buffer, answers))
