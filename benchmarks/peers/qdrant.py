"""Qdrant, by its engine in the process and by its Python client: see indexes.py."""

import os

from indexes import Index
from systems import HITS, need, version


def word_number(word):
    """The number of a generated word: 17 of w17x."""
    return int(word[1:-1])


def sparse_texts(collection, bm25):
    """Yields the words of each text, by number, and their weights by BM25 without the IDF."""
    mean = sum(len(text.split()) for text in collection.texts) / len(collection.texts)
    for text in collection.texts:
        words = text.split()
        norm = bm25.k1 * (1 - bm25.b + bm25.b * len(words) / mean)
        counts = {word_number(word): words.count(word) for word in words}
        yield list(counts), [count / (count + norm) for count in counts.values()]


def sparse_query(query):
    """The words of a query, by number, and how often it has each."""
    words = sorted(word_number(word) for word in query.split())
    asked = sorted(set(words))
    return asked, [float(words.count(word)) for word in asked]


class QdrantEdge(Index):
    """Qdrant's engine in the process. BM25's weights are made here (see systems.py)."""

    name = "Qdrant Edge"
    search = "in the process: dense vectors (HNSW with defaults) and sparse ones, RRF"

    def build(self, folder):
        self.edge, collection = need("qdrant_edge"), self.collection
        edge, self.program = self.edge, version("qdrant-edge-py")
        self.shard = edge.EdgeShard.create(
            os.path.join(folder, "shard"),
            edge.EdgeConfig(
                vectors={"dense": edge.EdgeVectorParams(size=collection.vectors.shape[1], distance=edge.Distance.Cosine)},
                sparse_vectors={"sparse": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            ),
        )
        self.shard.update(edge.UpdateOperation.create_field_index("store", edge.PayloadSchemaType.Keyword))
        sparse = sparse_texts(collection, self.bm25)
        for start in range(0, len(collection.texts), 500):
            points = [
                edge.Point(
                    id=n,
                    vector={"dense": collection.vectors[n].tolist(), "sparse": edge.SparseVector(*next(sparse))},
                    payload={"store": collection.stores[n]},
                )
                for n in range(start, min(start + 500, len(collection.texts)))
            ]
            self.shard.update(edge.UpdateOperation.upsert_points(points))
        self.shard.optimize()  # which a server does by itself
        self.shard.flush()
        self.sparse = [edge.SparseVector(*sparse_query(query)) for query in collection.queries]

    def leg(self, name, i):
        vector = self.sparse[i] if name == "sparse" else self.collection.query_vectors[i].tolist()
        match = self.edge.FieldCondition(key="store", match=self.edge.MatchValue(value=self.collection.query_stores[i]))
        return {"query": self.edge.Query.Nearest(vector, using=name), "filter": self.edge.Filter(must=[match])}

    def ask(self, **query):
        found = self.shard.query(self.edge.QueryRequest(limit=HITS, with_payload=False, with_vector=False, **query))
        return [point.id for point in found]

    def hybrid(self, i):
        legs = [self.edge.Prefetch(limit=self.depth, **self.leg(name, i)) for name in ("dense", "sparse")]
        return self.ask(query=self.edge.Fusion.Rrf(k=2), prefetches=legs)  # k of Qdrant's default

    def words(self, i):
        return self.ask(**self.leg("sparse", i))

    def vectors(self, i):
        return self.ask(**self.leg("dense", i))

    def close(self):
        if hasattr(self, "shard"):
            self.shard.close()


class Qdrant(Index):
    """qdrant-client's local mode. BM25's weights are made here (see systems.py)."""

    name = "Qdrant (local mode)"
    search = "in the process, in Python: dense and sparse vectors, RRF"
    warm = 1

    def build(self, folder):
        client, self.models = need("qdrant_client"), need("qdrant_client.models")
        self.program, collection, models = version("qdrant-client"), self.collection, self.models
        self.client = client.QdrantClient(path=os.path.join(folder, "qdrant"))
        self.client.create_collection(
            "document",
            vectors_config={"dense": models.VectorParams(size=collection.vectors.shape[1], distance=models.Distance.COSINE)},
            sparse_vectors_config={"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)},
        )
        vector = lambda sparse: models.SparseVector(indices=sparse[0], values=sparse[1])
        sparse = sparse_texts(collection, self.bm25)
        for start in range(0, len(collection.texts), 500):
            points = [
                models.PointStruct(
                    id=n,
                    payload={"store": collection.stores[n]},
                    vector={"dense": collection.vectors[n].tolist(), "sparse": vector(next(sparse))},
                )
                for n in range(start, min(start + 500, len(collection.texts)))
            ]
            self.client.upsert("document", points)
        self.sparse = [vector(sparse_query(query)) for query in collection.queries]

    def ask(self, i, **query):
        found = self.client.query_points("document", limit=HITS, with_payload=False, **query)
        return [point.id for point in found.points]

    def within(self, i):
        match = self.models.MatchValue(value=self.collection.query_stores[i])
        return self.models.Filter(must=[self.models.FieldCondition(key="store", match=match)])

    def hybrid(self, i):
        models, within = self.models, self.within(i)
        return self.ask(
            i,
            query=models.FusionQuery(fusion=models.Fusion.RRF),
            prefetch=[
                models.Prefetch(query=self.collection.query_vectors[i], using="dense", limit=self.depth, filter=within),
                models.Prefetch(query=self.sparse[i], using="sparse", limit=self.depth, filter=within),
            ],
        )

    def words(self, i):
        return self.ask(i, query=self.sparse[i], using="sparse", query_filter=self.within(i))

    def vectors(self, i):
        return self.ask(i, query=self.collection.query_vectors[i], using="dense", query_filter=self.within(i))

    def close(self):
        if hasattr(self, "client"):
            self.client.close()
