"""The memory layers for agents whose speed is compared: see indexes.py."""

import contextlib
import json
import os
import pickle
import subprocess
import time

from dataset import Missing, clean_environment
from indexes import Index
from machine import resident_bytes, shared_resident_bytes
from systems import HITS, need, version


class Mem0(Index):
    """mem0 with its default store, a local Qdrant and a history in SQLite. Texts are stored unchanged
    (infer=False), without a model. Without its extra for lexical search, which downloads a model,
    it searches by vectors alone."""

    name = "mem0"
    search = "infer=False, Qdrant's local mode, by vectors alone"
    legs = ("vectors",)
    warm = 1

    def build(self, folder):
        os.environ |= {"MEM0_DIR": os.path.join(folder, "mem0"), "MEM0_TELEMETRY": "False"}
        memory, collection = need("mem0").Memory, self.collection
        self.program = version("mem0ai")
        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        self.memory = memory.from_config(
            {
                "llm": unused,
                "embedder": unused,
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": os.path.join(folder, "qdrant"), "embedding_model_dims": collection.vectors.shape[1]},
                },
                "history_db_path": os.path.join(folder, "history.db"),
            }
        )
        self.memory.embedding_model = self
        vectors = zip(collection.texts + collection.queries, [*collection.vectors, *collection.query_vectors])
        self.given = {text: vector.tolist() for text, vector in vectors}
        self.numbers = {}
        for n, (store, text) in enumerate(zip(collection.stores, collection.texts)):
            (added,) = self.memory.add(text, user_id=store, infer=False)["results"]
            self.numbers[added["id"]] = n

    def embed(self, text, memory_action=None):
        """The embedder that mem0 calls."""
        return self.given[text]

    def hybrid(self, i):
        found = self.memory.search(self.collection.queries[i], filters={"user_id": self.collection.query_stores[i]}, top_k=HITS)
        return [self.numbers[hit["id"]] for hit in found["results"]]

    vectors = hybrid

    def close(self):
        if hasattr(self, "memory"):
            self.memory.vector_store.client.close()
            self.memory.close()


class Hindsight(Index):
    """Hindsight with its default store, an embedded PostgreSQL, and a bank for each store. Without a
    model (provider none) it stores texts as chunks. Its default reranker would be downloaded,
    so it ranks by RRF, which is one of its settings."""

    name = "Hindsight"
    search = "chunks without an LLM, PostgreSQL, RRF without a reranker"
    legs = ("vectors",)
    data = os.path.join(".pg0", "instances")
    worker = None

    def build(self, folder):
        if not self.options.hindsight:
            raise Missing("no --hindsight")
        environment = clean_environment(
            HOME=folder,
            HF_HUB_OFFLINE="1",
            HINDSIGHT_API_LLM_PROVIDER="none",
            HINDSIGHT_API_LOG_LEVEL="warning",
            PYTHONDONTWRITEBYTECODE="1",
        )
        self.folder, log = folder, os.path.join(folder, "worker.log")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hindsight_worker.py")
        with open(log, "w") as file:
            self.worker = subprocess.Popen(
                [self.options.hindsight, script], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
            )
        try:
            pickle.dump(self.collection, self.worker.stdin)
            self.program = self.call("start")
        except OSError:
            with open(log) as file:
                raise Missing("Hindsight does not start: " + file.read().strip()[-300:]) from None
        self.pid = self.worker.pid
        began = time.monotonic()
        self.call("build")
        self.import_seconds = time.monotonic() - began

    def call(self, *question):
        self.worker.stdin.write(json.dumps(question).encode() + b"\n")
        self.worker.stdin.flush()
        answer = self.worker.stdout.readline()
        if not answer:
            raise BrokenPipeError
        result, failure = json.loads(answer)
        if failure:
            raise Missing(failure)
        return result

    def hybrid(self, i):
        return self.call("hybrid", i)

    def vectors(self, i):
        return self.call("vectors", i)

    def server_bytes(self):
        with open(os.path.join(self.folder, self.data, "hindsight", "data", "postmaster.pid")) as file:
            return resident_bytes(self.pid) + shared_resident_bytes(int(file.readline()))

    def close(self):
        if self.worker:
            with contextlib.suppress(OSError, Missing):
                self.call("stop")
            self.worker.terminate()
            self.worker.wait()
