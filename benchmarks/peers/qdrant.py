"""Qdrant's in-process engine: see indexes.py."""

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
    """The words of a query, by number, with their counts."""
    words = sorted(word_number(word) for word in query.split())
    asked = sorted(set(words))
    return asked, [float(words.count(word)) for word in asked]


class QdrantEdge(Index):
    """Qdrant's in-process engine. BM25's weights are computed here (see systems.py)."""

    name = "Qdrant Edge"
    search = "the engine in the process: HNSW with defaults, sparse vectors, RRF"

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
