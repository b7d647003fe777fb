"""mneme as a peer: a server process on an imported data folder, called over its REST API."""

import hashlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import time

from dataset import Missing, clean_environment
from systems import HITS

DEFAULT_STORE = "bench"  # of a dataset without stores
START_SECONDS = 120

# No limit on requests, no timeout of the vector leg on a slow machine, and a connection that
# stays open while the other systems are built and queried.
SETTINGS = {"MNEME_RATE_REQUESTS": "0", "MNEME_SEARCH_VECTOR_BUDGET": "60s", "MNEME_CONNECTIONS_IDLE_TIMEOUT": "24h"}


class Server:
    """A `mneme serve` with a dataset, in a data folder of the cache. It serves all rankings of a run."""

    def __init__(self, dataset, options):
        self.dataset, self.program = dataset, options.mneme
        self.process = self.connection = None
        self.folder = self.imported(options)
        try:
            self.start()
            self.tokens = {
                store: self.run("token", "--agent", store or DEFAULT_STORE, "--ttl", "24h").strip() for store in sorted(set(dataset.query_stores))
            }
        except BaseException:
            self.close()
            raise

    def run(self, *arguments):
        command = [self.program, *arguments, "--data-dir", self.folder]
        done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(**SETTINGS))
        if done.returncode != 0:
            raise Missing(f"mneme {arguments[0]} failed: {done.stderr.strip()}")
        return done.stdout

    def imported(self, options):
        """Returns a data folder with the documents and their vectors, built by this program or cached."""
        digest = hashlib.sha256()
        with open(self.program, "rb") as file:
            digest.update(file.read())
        lines = []
        for id, store, text in zip(self.dataset.ids, self.dataset.stores, self.dataset.texts):
            lines.append(json.dumps({"store": store or DEFAULT_STORE, "key": id, "value": text}) + "\n")
            digest.update(lines[-1].encode())
        cached = os.path.join(options.cache, f"{self.dataset.name}-mneme-{digest.hexdigest()[:16]}")
        if not os.path.exists(cached):
            self.folder = cached + ".part"
            shutil.rmtree(self.folder, ignore_errors=True)
            os.mkdir(self.folder)
            memories = os.path.join(self.folder, "memories.jsonl")
            with open(memories, "w", encoding="utf-8") as file:
                file.writelines(lines)
            self.run("import", memories)
            os.rename(self.folder, cached)
        return cached

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # If it does not start, its log is shown, which has no texts.
        log = os.path.join(self.folder, "serve.log")
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                [self.program, "serve", "--data-dir", self.folder, "--addr", f"127.0.0.1:{port}"],
                env=clean_environment(**SETTINGS),
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
        end = time.monotonic() + START_SECONDS
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > end:
                with open(log) as file:
                    raise Missing("mneme serve does not answer:\n" + file.read()[-2000:])
            time.sleep(0.1)

    def ready(self):
        try:
            self.connection.request("GET", "/readyz")
            answer = self.connection.getresponse()
            answer.read()
            return answer.status == 200
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return False

    def search(self, query, store, **question):
        """Returns status and body of the answer to a query in a store."""
        body = json.dumps({"query": query, "stores": ["self"], "limit": HITS} | question)
        headers = {"Authorization": "Bearer " + self.tokens[store], "Content-Type": "application/json"}
        try:
            self.connection.request("POST", "/v1/search", body.encode(), headers)
            answer = self.connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise Missing(f"mneme serve does not answer ({type(error).__name__})") from None

    def close(self):
        if self.connection:
            self.connection.close()
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Mneme:
    """One ranking of a Server; None is the default."""

    needs_vectors = False  # it computes its own
    timed = "the whole request over HTTP, with the hits' texts; the query's vector is cached from its first search"

    def __init__(self, server, ranking):
        self.server = server
        self.name = "mneme" if ranking is None else f"mneme, ranking {ranking}"
        self.program = server.run("version").strip()
        self.question = {} if ranking is None else {"ranking": ranking}
        status, _ = server.search("Which rankings are there?", server.dataset.query_stores[0], **self.question)
        if status == 400 and ranking is not None:
            raise Missing("this mneme has no option ranking")

    def search(self, i):
        dataset = self.server.dataset
        status, answer = self.server.search(dataset.queries[i], dataset.query_stores[i], **self.question)
        if status != 200:
            raise Missing(f"mneme answered {status}: {answer.get('title')}")
        if {"lexical", "vector"} & set(answer["degraded"]):
            raise Missing(f"mneme answered without a leg: {answer['degraded']}")
        return [hit["key"] for hit in answer["hits"]]

    def close(self):
        """Does nothing: the owner closes the Server."""
