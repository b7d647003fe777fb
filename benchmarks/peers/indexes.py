"""The systems whose speed is compared. Each holds a whole collection, in a separate process.

build(folder) imports it; what it returns can be searched at once. hybrid(i), words(i) and
vectors(i) return the numbers of the first texts for query i, best first, within its store.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time

from collection import BM25, FTS5, best, fuse
from dataset import Missing, clean_environment
from machine import resident_bytes
from systems import HITS, need, version

START_SECONDS = 180


class Index:
    name = program = ""
    search = ""  # how it searches
    bm25 = BM25()
    legs = ("words", "vectors")  # those that can be queried separately and compared with exact answers
    pid = None  # of its server, if it has one
    data = ""  # where its data is within its folder
    warm = 5  # number of warm-up queries

    def __init__(self, collection, options):
        self.collection, self.options, self.depth = collection, options, options.depth

    def build(self, folder):
        """Imports the collection into an empty folder. Raises Missing if a requirement is missing."""

    def server_bytes(self):
        """The resident memory of its server, or None if it has none."""
        return self.pid and resident_bytes(self.pid)

    def close(self):
        """Ends the processes that build has started, also if it failed halfway."""


class Connection:
    """Calls a server on loopback over one connection of HTTP/1.1. http.client sends headers and
    body apart and parses headers for a third of a millisecond, which is no server's work."""

    def __init__(self, port):
        self.port, self.stream = port, None

    def call(self, method, path, body=b"", headers=None):
        """Returns the status and the body. Raises OSError if the connection ends."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if self.stream is None:
            connection = socket.create_connection(("127.0.0.1", self.port), START_SECONDS)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.stream = connection.makefile("rwb")
            connection.close()  # when the stream is closed
        self.stream.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        self.stream.flush()
        status = self.line().split()[1]
        length, chunked = 0, False
        while header := self.line():
            name, _, value = header.lower().partition(b":")
            if name == b"content-length":
                length = int(value)
            chunked |= name == b"transfer-encoding" and b"chunked" in value
        return int(status), b"".join(self.chunks()) if chunked else self.stream.read(length)

    def chunks(self):
        while size := int(self.line().partition(b";")[0], 16):
            yield self.stream.read(size)
            self.line()
        while self.line():  # trailers
            pass

    def line(self):
        line = self.stream.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the server closed the connection")
        return line.rstrip()

    def close(self):
        if self.stream:
            with contextlib.suppress(OSError):
                self.stream.close()
        self.stream = None


class Process:
    """A server, and a connection to it."""

    def __init__(self, command, environment, log, port, ready):
        with open(log, "w") as file:
            self.process = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT)
        self.connection = Connection(port)
        end = time.monotonic() + START_SECONDS
        while not self.answers(ready):
            if self.process.poll() is not None or time.monotonic() > end:
                self.close()
                with open(log) as file:
                    raise Missing(f"{os.path.basename(command[0])} does not answer: " + file.read()[-1000:])
            time.sleep(0.1)

    def answers(self, path):
        try:
            return self.call("GET", path)[0] == 200
        except OSError:
            self.connection.close()
            return False

    def call(self, method, path, body=None, headers=None):
        data = b"" if body is None else json.dumps(body).encode()
        for again in (True, False):
            try:
                return self.connection.call(method, path, data, {"Content-Type": "application/json"} | (headers or {}))
            except ConnectionError:  # closed while the others were built
                self.connection.close()
                if not again:
                    raise

    def close(self):
        self.connection.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def free_port(count=1):
    """The first of count consecutive free ports."""
    while True:
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError, OverflowError):
            first = 0
            for n in range(count):
                free = stack.enter_context(socket.socket())
                free.bind(("127.0.0.1", first and first + n))
                first = first or free.getsockname()[1]
            return first


class Mneme(Index):
    """mneme with SQLite and its exact index. Vectors come from a server on loopback (embeddings.py)."""

    name = "mneme"
    search = "REST, default ranking, access control, texts in the answer"
    bm25 = BM25(0.9, 0.2, scoped=True)
    warm = None  # all: its cache then has the queries' vectors, as the peers get precomputed ones
    server = embeddings = None

    def build(self, folder):
        from embeddings import Embeddings

        if not self.options.mneme:
            raise Missing("no --mneme")
        collection, program = self.collection, self.options.mneme
        self.embeddings = Embeddings(collection)
        environment = clean_environment(
            MNEME_EMBEDDER="openai",
            MNEME_OPENAI_BASE_URL=self.embeddings.url,
            MNEME_OPENAI_MODEL="given",
            MNEME_OPENAI_DIM=str(collection.vectors.shape[1]),
            MNEME_RATE_REQUESTS="0",
            MNEME_SEARCH_VECTOR_BUDGET="60s",
            MNEME_CONNECTIONS_IDLE_TIMEOUT="24h",
            MNEME_SEARCH_QUERY_CACHE_BYTES=str(1 << 28),
        )
        data = os.path.join(folder, "data")

        def run(*arguments):
            done = subprocess.run([program, *arguments, "--data-dir", data], capture_output=True, text=True, env=environment)
            if done.returncode != 0:
                raise Missing(f"mneme {arguments[0]} failed: {done.stderr.strip()[-1000:]}")
            return done.stdout

        self.program = run("version").strip()
        memories = os.path.join(folder, "memories.jsonl")
        with open(memories, "w", encoding="utf-8") as file:
            for number, (store, text) in enumerate(zip(collection.stores, collection.texts)):
                file.write(json.dumps({"store": store, "key": str(number), "value": text}) + "\n")
        began = time.monotonic()
        run("import", memories)
        self.import_seconds = time.monotonic() - began
        os.remove(memories)
        port = free_port()
        self.server = Process(
            [program, "serve", "--data-dir", data, "--addr", f"127.0.0.1:{port}"], environment, os.path.join(folder, "serve.log"), port, "/readyz"
        )
        self.pid = self.server.process.pid
        self.tokens = {store: run("token", "--agent", store, "--ttl", "24h").strip() for store in sorted(set(collection.query_stores))}

    def ask(self, i, **question):
        store = self.collection.query_stores[i]
        body = {"query": self.collection.queries[i], "stores": ["self"], "limit": HITS} | question
        status, answer = self.server.call("POST", "/v1/search", body, {"Authorization": "Bearer " + self.tokens[store]})
        answer = json.loads(answer)
        if status != 200 or {"lexical", "vector"} & set(answer["degraded"]):
            raise Missing(f"mneme answered {status}: {answer.get('title', answer.get('degraded'))}")
        return [int(hit["key"]) for hit in answer["hits"]]

    def hybrid(self, i):
        return self.ask(i)

    def words(self, i):
        return self.ask(i, mode="lexical", ranking="rrf")

    def vectors(self, i):
        return self.ask(i, mode="vector", ranking="rrf")

    def close(self):
        for part in (self.server, self.embeddings):
            if part:
                part.close()


class LanceDB(Index):
    name = "LanceDB"
    search = "full text with defaults, exact vectors, RRF"

    def build(self, folder):
        os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of a deprecation in every search
        lancedb, pyarrow = need("lancedb"), need("pyarrow")
        self.program, collection = version("lancedb"), self.collection
        width = collection.vectors.shape[1]
        vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(collection.vectors.ravel()), width)
        data = pyarrow.table({"id": list(range(len(collection.texts))), "store": collection.stores, "text": collection.texts, "vector": vectors})
        self.table = lancedb.connect(os.path.join(folder, "lance")).create_table("document", data=data)
        self.table.create_fts_index("text")
        self.table.create_scalar_index("store", index_type="BITMAP")

    def run(self, query, i):
        rows = query.where(f"store = '{self.collection.query_stores[i]}'", prefilter=True).select(["id"]).limit(self.depth)
        return rows.to_arrow().column("id").to_pylist()[:HITS]

    def hybrid(self, i):
        query = self.table.search(query_type="hybrid").vector(self.collection.query_vectors[i])
        return self.run(query.text(self.collection.queries[i]), i)

    def words(self, i):
        return self.run(self.table.search(self.collection.queries[i], query_type="fts"), i)

    def vectors(self, i):
        return self.run(self.table.search(self.collection.query_vectors[i], query_type="vector"), i)


class Weaviate(Index):
    """A Weaviate server, one class with a filter on the store."""

    name = "Weaviate"
    search = "GraphQL over HTTP: BM25 (without block-max), HNSW with defaults, ranked fusion"
    server = None

    def build(self, folder):
        program = self.options.weaviate and shutil.which(self.options.weaviate)
        if not program:
            raise Missing("no --weaviate")
        port = free_port(6)  # consecutive: it derives some of them from others
        environment = clean_environment(
            PERSISTENCE_DATA_PATH=os.path.join(folder, "data"),
            AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED="true",
            # Its newer lexical index misses most texts while they are in memory, seen in 1.35.2.
            USE_INVERTED_SEARCHABLE="false",
            DEFAULT_VECTORIZER_MODULE="none",
            DISABLE_TELEMETRY="true",
            GO_PROFILING_DISABLE="true",
            LOG_LEVEL="warning",
            CLUSTER_HOSTNAME="node1",
            CLUSTER_IN_LOCALHOST="true",
            CLUSTER_ADVERTISE_ADDR="127.0.0.1",
            CLUSTER_BIND_ADDR="127.0.0.1",
            CLUSTER_GOSSIP_BIND_PORT=str(port + 1),
            CLUSTER_DATA_BIND_PORT=str(port + 2),
            RAFT_PORT=str(port + 3),
            RAFT_INTERNAL_RPC_PORT=str(port + 4),
            RAFT_JOIN=f"node1:{port + 3}",
            RAFT_BOOTSTRAP_EXPECT="1",
            GRPC_PORT=str(port + 5),
        )
        self.server = Process(
            [program, "--host", "127.0.0.1", "--port", str(port), "--scheme", "http"],
            environment,
            os.path.join(folder, "serve.log"),
            port,
            "/v1/.well-known/ready",
        )
        self.pid = self.server.process.pid
        self.program = "Weaviate " + self.send("GET", "/v1/meta")["version"]
        self.send(
            "POST",
            "/v1/schema",
            {
                "class": "Document",
                "vectorizer": "none",
                "vectorIndexConfig": {"distance": "cosine"},
                "properties": [
                    {"name": "number", "dataType": ["int"], "indexFilterable": False},
                    {"name": "store", "dataType": ["text"], "tokenization": "field", "indexSearchable": False},
                    {"name": "text", "dataType": ["text"], "tokenization": "word", "indexFilterable": False},
                ],
            },
        )
        collection = self.collection
        for start in range(0, len(collection.texts), 500):
            objects = [
                {
                    "class": "Document",
                    "vector": collection.vectors[n].tolist(),
                    "properties": {"number": n, "store": collection.stores[n], "text": collection.texts[n]},
                }
                for n in range(start, min(start + 500, len(collection.texts)))
            ]
            for result in self.send("POST", "/v1/batch/objects", {"objects": objects}):
                if result["result"].get("errors"):
                    raise Missing("Weaviate refused an object")

    def send(self, method, path, body=None):
        status, answer = self.server.call(method, path, body)
        if status != 200:
            raise Missing(f"Weaviate answered {status} to {path}")
        return json.loads(answer)

    def ask(self, leg, i):
        where = f'where: {{path: ["store"], operator: Equal, valueText: "{self.collection.query_stores[i]}"}}'
        query = f"{{Get {{Document({leg}, {where}, limit: {HITS}) {{number}}}}}}"
        answer = self.send("POST", "/v1/graphql", {"query": query})
        if answer.get("errors"):
            raise Missing("Weaviate answered with an error: " + answer["errors"][0]["message"][:200])
        return [hit["number"] for hit in answer["data"]["Get"]["Document"]]

    def vector(self, i):
        return json.dumps(self.collection.query_vectors[i].tolist())

    def hybrid(self, i):
        text = json.dumps(self.collection.queries[i])
        return self.ask(f'hybrid: {{query: {text}, vector: {self.vector(i)}, alpha: 0.5, fusionType: rankedFusion, properties: ["text"]}}', i)

    def words(self, i):
        return self.ask(f'bm25: {{query: {json.dumps(self.collection.queries[i])}, properties: ["text"]}}', i)

    def vectors(self, i):
        return self.ask(f"nearVector: {{vector: {self.vector(i)}}}", i)

    def close(self):
        if self.server:
            self.server.close()


class SQLite(Index):
    """SQLite's FTS5 and sqlite-vec, each asked by one SELECT and fused by RRF in Python."""

    name = "SQLite FTS5 + sqlite-vec"
    bm25 = FTS5()
    search = "exact vectors of the store's partition, RRF in Python"

    def build(self, folder):
        apsw, extension = need("apsw"), need("sqlite_vec")
        self.program = f"SQLite {apsw.sqlitelibversion()}, {version('sqlite-vec')}"
        self.database = apsw.Connection(os.path.join(folder, "peer.db"))
        self.database.enable_load_extension(True)
        self.database.load_extension(extension.loadable_path())
        run, collection = self.database.execute, self.collection
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        # The store is a word in a separate column, so that FTS5 filters while it reads its index.
        run("CREATE VIRTUAL TABLE document USING fts5 (store, text, tokenize = 'porter unicode61')")
        run(
            f"CREATE VIRTUAL TABLE vector USING vec0 (store TEXT partition key, "
            f"embedding float[{collection.vectors.shape[1]}] distance_metric=cosine)"
        )
        for start in range(0, len(collection.texts), 1000):
            rows = range(start, min(start + 1000, len(collection.texts)))
            with self.database:
                self.database.executemany(
                    "INSERT INTO document(rowid, store, text) VALUES (?, ?, ?)", ((n + 1, collection.stores[n], collection.texts[n]) for n in rows)
                )
                self.database.executemany(
                    "INSERT INTO vector(rowid, store, embedding) VALUES (?, ?, ?)",
                    ((n + 1, collection.stores[n], collection.vectors[n].tobytes()) for n in rows),
                )

    def lexical(self, i, limit):
        words = " OR ".join(f'"{word}"' for word in self.collection.queries[i].split())
        rows = self.database.execute(
            "SELECT rowid FROM document WHERE document MATCH ? ORDER BY bm25(document, 0.0, 1.0), rowid LIMIT ?",
            (f'store : "{self.collection.query_stores[i]}" AND text : ({words})', limit),
        )
        return [number - 1 for (number,) in rows]

    def nearest(self, i, limit):
        rows = self.database.execute(
            "SELECT rowid FROM vector WHERE store = ? AND embedding MATCH ? AND k = ? ORDER BY distance",
            (self.collection.query_stores[i], self.collection.query_vectors[i].tobytes(), limit),
        )
        return [number - 1 for (number,) in rows]

    def hybrid(self, i):
        return fuse([self.lexical(i, self.depth), self.nearest(i, self.depth)], HITS)

    def words(self, i):
        return self.lexical(i, HITS)

    def vectors(self, i):
        return self.nearest(i, HITS)


class Plain(Index):
    """Exact legs in Python and numpy: the reference of the self-test."""

    name = "plain"
    program = "this script"
    search = "BM25 in Python, exact vectors in numpy, RRF"

    def words(self, i):
        return best(self.collection.scores(i, self.bm25), self.depth)

    def vectors(self, i):
        return best(self.collection.cosines(i), self.depth)

    def hybrid(self, i):
        return fuse([self.words(i), self.vectors(i)], HITS)
