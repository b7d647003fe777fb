"""Generated texts and vectors, and the exact answers of each leg."""

import collections
import math
import random

DIMENSIONS = 384
VOCABULARY = 30_000
TOPICS = 300
# Weights of a vector's parts, as in internal/workload: all vectors share a direction, so that
# cosines are about .87 within a topic and .74 across topics, like E5's. Their squares add up to 1.
COMMON, TOPIC, OWN = 0.86, 0.36, 0.36


class Collection:
    """Texts in stores, and queries that each search one store for one text. The same sizes and seed
    always give the same collection."""

    def __init__(self, entries, stores, queries, seed=1):
        import numpy

        self.stores = [f"s{n * stores // entries}" for n in range(entries)]
        words = random.Random(seed)
        # Words have the frequencies of natural text (Zipf), and a form that analyzers leave unchanged.
        names = [f"w{n}x" for n in range(VOCABULARY)]
        weights, total = [], 0.0
        for n in range(VOCABULARY):
            total += 1 / (n + 2.7)
            weights.append(total)
        draw = lambda count: words.choices(names, cum_weights=weights, k=count)
        self.texts = [" ".join(draw(words.randint(20, 40))) for _ in range(entries)]

        numbers = numpy.random.default_rng(seed)
        directions = lambda count: unit(numpy, numbers.standard_normal((count, DIMENSIONS), dtype="float32"))
        common, topics, own = directions(1), directions(TOPICS), directions(entries)
        topic = numbers.integers(0, TOPICS, entries)
        self.vectors = unit(numpy, COMMON * common + TOPIC * topics[topic] + OWN * own)

        # A query has six words of its text, two others, and a vector near the text's.
        self.targets = [words.randrange(entries) for _ in range(queries)]
        self.query_stores = [self.stores[t] for t in self.targets]
        self.queries = [" ".join(words.sample(self.texts[t].split(), 6) + draw(2)) for t in self.targets]
        near = 0.7 * own[self.targets] + 0.7 * directions(queries)
        self.query_vectors = unit(numpy, COMMON * common + TOPIC * topics[topic[self.targets]] + OWN * near)

        self.rows = collections.defaultdict(list)  # numbers of the texts by store
        for row, store in enumerate(self.stores):
            self.rows[store].append(row)
        self.counts = None

    def within(self, i):
        """The numbers of the texts in the scope of query i."""
        return self.rows[self.query_stores[i]]

    def cosines(self, i):
        """The cosine of each text within the scope of query i, by number."""
        rows = self.within(i)
        return dict(zip(rows, (self.vectors[rows] @ self.query_vectors[i]).tolist()))

    def scores(self, i, bm25):
        """The BM25 score of each text within the scope of query i that has one of its words."""
        if self.counts is None:
            self.counts = [collections.Counter(text.split()) for text in self.texts]
            self.frequencies = collections.Counter(word for count in self.counts for word in count)
            self.length = sum(count.total() for count in self.counts) / len(self.counts)
        rows = self.within(i)
        if bm25.scoped:
            frequencies = collections.Counter(word for row in rows for word in self.counts[row])
            number, mean = len(rows), sum(self.counts[row].total() for row in rows) / len(rows)
        else:
            frequencies, number, mean = self.frequencies, len(self.texts), self.length
        scores = {}
        words = collections.Counter(self.queries[i].split())
        for row in rows:
            count, score = self.counts[row], 0.0
            for word, asked in words.items():
                if word in count:
                    norm = bm25.k1 * (1 - bm25.b + bm25.b * count.total() / mean)
                    score += asked * bm25.idf(frequencies[word], number) * count[word] / (count[word] + norm)
            if score > 0:
                scores[row] = score
        return scores


class BM25:
    """The parameters of a system's BM25, and whether its statistics are those of the searched store."""

    def __init__(self, k1=1.2, b=0.75, scoped=False):
        self.k1, self.b, self.scoped = k1, b, scoped

    def idf(self, frequency, number):
        return math.log(1 + (number - frequency + 0.5) / (frequency + 0.5))


class FTS5(BM25):
    """SQLite's: a word that is in half of the texts or more counts almost nothing."""

    def idf(self, frequency, number):
        return max(math.log((number - frequency + 0.5) / (frequency + 0.5)), 1e-6)


def unit(numpy, vectors):
    return (vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)).astype("float32")


def best(scores, count):
    """The keys of the highest scores, best first."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:count]


def recall(scores, found, count=10):
    """The share of the exact first hits that were found. A text with the score of the last one
    counts too: ties may be in any order. A difference by rounding (some systems store vectors in
    half precision) is not a tie, and counts as a miss."""
    first = best(scores, count)
    if not first:
        return 1.0
    least = scores[first[-1]] * (1 - 1e-6)
    right = [row for row in set(found[:count]) if scores.get(row, -math.inf) >= least]
    return min(len(right), len(first)) / len(first)


def fuse(legs, count, k=60):
    """Reciprocal rank fusion of lists of keys."""
    scores = collections.defaultdict(float)
    for leg in legs:
        for rank, key in enumerate(leg, 1):
            scores[key] += 1 / (k + rank)
    return best(scores, count)
