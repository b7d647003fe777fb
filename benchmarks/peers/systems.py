"""The systems that are compared with mneme. Each is built over a whole dataset.

search(i) returns the IDs of the first ten documents for query i, best first, out of the
query's store. If the system accepts a query's vector or words ready-made, build computes
them, so that search is the system's own work.
"""

import collections
import functools
import importlib
import importlib.metadata
import math
import os
import re
import sqlite3

from dataset import Missing

HITS = 10

# Lucene's English stop words.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split()
)


def need(module):
    """Imports a module of requirements.txt."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f"Python cannot import {module} ({error}); see requirements.txt") from None


def version(package):
    return f"{package} {importlib.metadata.version(package)}"


@functools.cache
def stem():
    """The English Snowball stemmer, if PyStemmer is installed; otherwise words stay unchanged."""
    try:
        return need("Stemmer").Stemmer("english").stemWords
    except Missing:
        return list


def words(text):
    """The lower-case words of a text without stop words, stemmed by stem()."""
    return stem()([w for w in re.findall(r"\w+", text.lower()) if w not in STOP_WORDS])


class System:
    needs_vectors = False
    program = ""  # name and version
    timed = "search"  # what the time of a search includes

    def __init__(self, dataset, options):
        self.dataset, self.options = dataset, options

    def build(self, folder):
        """Indexes the dataset, in an empty folder if on disk. Raises Missing if a requirement is missing."""

    def search(self, i):
        raise NotImplementedError

    def close(self):
        """Ends and removes everything that build has created, also if it failed halfway."""


class BM25(System):
    """BM25 with k1 = 1.2, b = 0.75 and Lucene's IDF, in plain Python, over words()."""

    name = "plain BM25"
    program = "this script"
    timed = "scoring of the postings, in plain Python"
    k1, b = 1.2, 0.75

    def build(self, folder):
        dataset = self.dataset
        if stem() is list:
            self.program += ", without a stemmer"
        counts = [collections.Counter(words(text)) for text in dataset.texts]
        lengths = [sum(c.values()) for c in counts]
        mean = sum(lengths) / len(lengths)
        self.postings = collections.defaultdict(list)
        for document, (count, length) in enumerate(zip(counts, lengths)):
            for word, times in count.items():
                weight = times / (times + self.k1 * (1 - self.b + self.b * length / mean))
                self.postings[word].append((document, weight))
        self.queries = [words(query) for query in dataset.queries]

    def search(self, i):
        stores, store, n = self.dataset.stores, self.dataset.query_stores[i], len(self.dataset.ids)
        scores = collections.defaultdict(float)
        for word in self.queries[i]:
            postings = self.postings.get(word, ())
            idf = math.log(1 + (n - len(postings) + 0.5) / (len(postings) + 0.5))
            for document, weight in postings:
                if stores[document] == store:
                    scores[document] += idf * weight
        best = sorted(scores, key=lambda d: (-scores[d], d))[:HITS]
        return [self.dataset.ids[d] for d in best]


class BM25S(System):
    """The package bm25s with its defaults (Lucene's BM25, k1 = 1.5, b = 0.75), English stemmer and stop words."""

    name = "bm25s"
    timed = "retrieval for the query's tokens, masked to the store"

    def build(self, folder):
        dataset = self.dataset
        self.numpy, bm25s, stemmer = need("numpy"), need("bm25s"), need("Stemmer").Stemmer("english")
        self.program = version("bm25s")
        tokenize = lambda texts: bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
        self.index = bm25s.BM25()
        self.index.index(tokenize(dataset.texts), show_progress=False)
        self.queries = tokenize(dataset.queries)
        stores = self.numpy.array(dataset.stores)
        self.masks = {store: (stores == store).astype("float32") for store in set(dataset.query_stores)}

    def search(self, i):
        if not self.queries[i]:
            return []
        mask = self.masks[self.dataset.query_stores[i]] if self.dataset.has_stores else None
        documents, scores = self.index.retrieve([self.queries[i]], k=min(HITS, len(self.dataset.ids)), show_progress=False, weight_mask=mask)
        return [self.dataset.ids[d] for d, score in zip(documents[0], scores[0]) if score > 0]


class SQLiteFTS5(System):
    """SQLite's FTS5 by bm25(), tokenizer `porter unicode61`; the query's words are joined by OR."""

    name = "SQLite FTS5"
    program = f"SQLite {sqlite3.sqlite_version}"
    timed = "one SELECT, in the process"

    def build(self, folder):
        dataset = self.dataset
        self.database = sqlite3.connect(os.path.join(folder, "fts5.db"))
        try:
            self.database.execute("CREATE VIRTUAL TABLE document USING fts5 (id UNINDEXED, store UNINDEXED, text, tokenize = 'porter unicode61')")
        except sqlite3.OperationalError as error:
            raise Missing(f"Python's SQLite has no FTS5 ({error})") from None
        self.database.executemany("INSERT INTO document VALUES (?, ?, ?)", zip(dataset.ids, dataset.stores, dataset.texts))
        self.database.execute("INSERT INTO document(document) VALUES ('optimize')")
        self.database.commit()
        self.queries = [" OR ".join(f'"{w}"' for w in re.findall(r"\w+", query)) for query in dataset.queries]

    def search(self, i):
        if not self.queries[i]:
            return []
        rows = self.database.execute(
            "SELECT id FROM document WHERE document MATCH ? AND store = ? ORDER BY bm25(document), rowid LIMIT ?",
            (self.queries[i], self.dataset.query_stores[i], HITS),
        )
        return [id for (id,) in rows]

    def close(self):
        self.database.close()


class Postgres(System):
    """PostgreSQL's full text by ts_rank_cd over a GIN index, configuration `english`; words joined by OR."""

    name = "PostgreSQL full text"
    timed = "one SELECT over a local connection, the query's parsing included"

    def build(self, folder):
        dataset = self.dataset
        if not self.options.dsn:
            raise Missing("no PostgreSQL: neither --dsn nor MNEME_POSTGRES_DSN is set")
        psycopg = need("psycopg")
        try:
            self.connection = psycopg.connect(self.options.dsn, autocommit=True)
        except psycopg.Error as error:
            # Without the message, which may include the DSN.
            raise Missing(f"PostgreSQL does not answer ({type(error).__name__})") from None
        number, minor = divmod(self.connection.info.server_version, 10000)
        self.program = f"PostgreSQL {number}.{minor}"
        self.schema = f"mneme_peers_{os.getpid()}"
        run = self.connection.execute
        run(f"CREATE SCHEMA {self.schema}")
        run(f"SET search_path = {self.schema}")
        run(
            "CREATE TABLE document (number int PRIMARY KEY, store text NOT NULL, body text NOT NULL, "
            "terms tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED)"
        )
        with self.connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO document VALUES (%s, %s, %s)",
                [(n, s, t.replace("\0", " ")) for n, (s, t) in enumerate(zip(dataset.stores, dataset.texts))],
            )
        run("CREATE INDEX ON document USING gin (terms)")
        run("CREATE INDEX ON document (store)")
        run("VACUUM ANALYZE document")

    def search(self, i):
        rows = self.connection.execute(
            "SELECT number FROM document, "
            "CAST(replace(plainto_tsquery('english', %s)::text, '&', '|') AS tsquery) AS query "
            "WHERE terms @@ query AND store = %s ORDER BY ts_rank_cd(terms, query) DESC, number LIMIT %s",
            (self.dataset.queries[i], self.dataset.query_stores[i], HITS),
        )
        return [self.dataset.ids[number] for (number,) in rows]

    def close(self):
        if hasattr(self, "schema"):
            self.connection.execute(f"DROP SCHEMA {self.schema} CASCADE")
            self.connection.close()


class Vectors(System):
    """The vectors alone: the exact cosine with every document, by one product of matrices."""

    name = "E5 vectors alone"
    needs_vectors = True
    timed = "the product and the selection"

    def build(self, folder):
        dataset = self.dataset
        self.numpy = need("numpy")
        self.program = version("numpy")
        stores = self.numpy.array(dataset.stores)
        self.rows = {s: self.numpy.flatnonzero(stores == s) for s in set(dataset.query_stores)}
        self.vectors = {s: dataset.passage_vectors[rows] for s, rows in self.rows.items()}

    def search(self, i):
        store = self.dataset.query_stores[i]
        cosines = self.vectors[store] @ self.dataset.query_vectors[i]
        best = self.numpy.argsort(-cosines, kind="stable")[:HITS]
        return [self.dataset.ids[d] for d in self.rows[store][best]]


class LanceDB(System):
    """LanceDB's hybrid search: its full text with defaults, exact vectors, and its default reranker, RRF."""

    name = "LanceDB hybrid"
    needs_vectors = True
    timed = "the search for a given vector and text, in the process"

    def build(self, folder):
        dataset = self.dataset
        os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of a deprecation in every search
        lancedb, pyarrow = need("lancedb"), need("pyarrow")
        self.program, self.depth = version("lancedb"), self.options.depth
        width = dataset.passage_vectors.shape[1]
        vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(dataset.passage_vectors.ravel()), width)
        data = pyarrow.table({"id": dataset.ids, "store": dataset.stores, "text": dataset.texts, "vector": vectors})
        self.table = lancedb.connect(os.path.join(folder, "lance")).create_table("document", data=data)
        # Of its tokenizers, ICU's segments languages without spaces between words.
        self.table.create_fts_index("text", base_tokenizer="icu" if self.options.multilingual else "simple")
        if dataset.has_stores:
            self.table.create_scalar_index("store", index_type="BITMAP")

    def search(self, i):
        query = self.table.search(query_type="hybrid").vector(self.dataset.query_vectors[i]).text(self.dataset.queries[i])
        if self.dataset.has_stores:
            store = self.dataset.query_stores[i].replace("'", "''")
            query = query.where(f"store = '{store}'", prefilter=True)
        rows = query.select(["id"]).limit(self.depth).to_arrow()
        return rows.column("id").to_pylist()[:HITS]


class Qdrant(System):
    """Qdrant's hybrid query by its in-process engine (Qdrant Edge): dense and sparse vectors, fused
    by RRF with its default k.

    fastembed, which would compute the sparse vectors, downloads a model. They are computed here instead,
    by the same formula: BM25's term weights (k1 = 1.2, b = 0.75) over words(), with Qdrant's modifier IDF.
    """

    name = "Qdrant Edge hybrid"
    needs_vectors = True
    timed = "the query for given vectors, in the process"

    def build(self, folder):
        self.edge, self.program, self.depth = need("qdrant_edge"), version("qdrant-edge-py"), self.options.depth
        edge, dataset = self.edge, self.dataset
        self.shard = edge.EdgeShard.create(
            os.path.join(folder, "shard"),
            edge.EdgeConfig(
                vectors={"dense": edge.EdgeVectorParams(size=dataset.passage_vectors.shape[1], distance=edge.Distance.Cosine)},
                sparse_vectors={"sparse": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            ),
        )
        self.shard.update(edge.UpdateOperation.create_field_index("store", edge.PayloadSchemaType.Keyword))
        sparse = self.sparse(folder)
        for start in range(0, len(dataset.ids), 256):
            points = [
                edge.Point(
                    id=n,
                    vector={"dense": dataset.passage_vectors[n].tolist(), "sparse": edge.SparseVector(*sparse[n])},
                    payload={"store": dataset.stores[n]},
                )
                for n in range(start, min(start + 256, len(dataset.ids)))
            ]
            self.shard.update(edge.UpdateOperation.upsert_points(points))
        self.shard.optimize()  # which a server does by itself

    def sparse(self, folder):
        """Returns the numbers and weights of the words of each document, and stores those of the queries."""
        bm25 = BM25(self.dataset, self.options)
        bm25.build(folder)
        numbers = {word: number for number, word in enumerate(bm25.postings)}
        documents = [([], []) for _ in self.dataset.ids]
        for word, postings in bm25.postings.items():
            for document, weight in postings:
                documents[document][0].append(numbers[word])
                documents[document][1].append(weight)
        known = [sorted({numbers[w] for w in query if w in numbers}) for query in bm25.queries]
        self.queries = [self.edge.SparseVector(words, [1.0] * len(words)) if words else None for words in known]
        return documents

    def search(self, i):
        edge, within = self.edge, None
        if self.dataset.has_stores:
            match = edge.MatchValue(value=self.dataset.query_stores[i])
            within = edge.Filter(must=[edge.FieldCondition(key="store", match=match)])
        leg = lambda vector, using: edge.Prefetch(limit=self.depth, query=edge.Query.Nearest(vector, using=using), filter=within)
        legs = [leg(self.dataset.query_vectors[i].tolist(), "dense")]
        if self.queries[i]:
            legs.append(leg(self.queries[i], "sparse"))
        found = self.shard.query(edge.QueryRequest(limit=HITS, prefetches=legs, query=edge.Fusion.Rrf(k=2), with_payload=False))
        return [self.dataset.ids[point.id] for point in found]

    def close(self):
        if hasattr(self, "shard"):
            self.shard.close()


PEERS = [LanceDB, Qdrant, SQLiteFTS5, Postgres, BM25, BM25S, Vectors]
