"""BEIR folders, their vectors, and the measures that all systems share."""

import concurrent.futures
import hashlib
import json
import math
import os
import re
import subprocess


class Missing(Exception):
    """A requirement of a run or a system is missing."""


class Dataset:
    """A folder with corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv)."""

    def __init__(self, folder):
        self.name = os.path.basename(os.path.abspath(folder))
        documents = read_lines(os.path.join(folder, "corpus.jsonl"))
        self.ids = [d["_id"] for d in documents]
        self.stores = [d.get("store", "") for d in documents]
        # The same text as in mneme's own benchmark.
        self.texts = ["\n".join(filter(None, (d.get("title"), d["text"]))) for d in documents]
        self.qrels = read_qrels(folder)
        queries = [q for q in read_lines(os.path.join(folder, "queries.jsonl")) if is_judged(self.qrels.get(q["_id"]))]
        self.query_ids = [q["_id"] for q in queries]
        self.queries = [q["text"] for q in queries]
        self.query_stores = [q.get("store", "") for q in queries]
        if not documents or not queries:
            raise Missing(f"{folder}: no documents, or no queries with relevant documents")
        if len(set(self.ids)) < len(self.ids):
            raise Missing(f"{folder}: corpus.jsonl repeats an _id")
        unknown = set(self.query_stores) - set(self.stores)
        if unknown:
            raise Missing(f"{folder}: queries name stores without documents: {', '.join(sorted(unknown))}")
        self.passage_vectors = self.query_vectors = None  # float32 arrays, a row for each text

    @property
    def has_stores(self):
        return any(self.stores)

    def embed(self, command, cache):
        """Sets the vectors, computed by `mneme embed` or read from the cache."""
        probe = embed(command, ["mneme"], passage=True).tobytes()  # identifies the model
        self.passage_vectors = cached(cache, f"{self.name}-passages", command, probe, self.texts, passage=True)
        self.query_vectors = cached(cache, f"{self.name}-queries", command, probe, self.queries, passage=False)


def read_lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Missing(f"{path}: not JSON lines: {error}") from None


def read_qrels(folder):
    """Returns the grade of each document by query."""
    for name in ("qrels.tsv", os.path.join("qrels", "test.tsv")):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            break
    else:
        raise Missing(f"{folder}: neither qrels.tsv nor qrels/test.tsv")
    qrels = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            try:
                query, document, grade = fields if len(fields) == 3 else (fields[0], fields[2], fields[3])
                qrels.setdefault(query, {})[document] = int(grade)
            except (IndexError, ValueError):
                if number > 1 and fields:  # the first line may be a header
                    raise Missing(f"{path}:{number}: not a judgement") from None
    return qrels


def is_judged(grades):
    return bool(grades) and max(grades.values()) > 0


def ndcg(grades, ranked, depth=10):
    """trec_eval's ndcg_cut: the grade is the gain, and the discount log2(rank + 1)."""
    gain = lambda values: sum(max(v, 0) / math.log2(i + 2) for i, v in enumerate(values[:depth]))
    return gain([grades.get(d, 0) for d in ranked]) / gain(sorted(grades.values(), reverse=True))


def recall(grades, ranked, depth=10):
    """The share of the relevant documents that are among the first depth."""
    relevant = {d for d, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranked[:depth])) / len(relevant)


def evaluate(dataset, rankings):
    """Returns the mean measures of rankings, which are lists of document IDs, one for each query."""
    judged = [(dataset.qrels[q], ranked) for q, ranked in zip(dataset.query_ids, rankings, strict=True)]
    return {
        "ndcg@10": sum(ndcg(*pair) for pair in judged) / len(judged),
        "recall@10": sum(recall(*pair) for pair in judged) / len(judged),
    }


def percentile(values, share):
    """The smallest value that a share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def clean_environment(**settings):
    """The environment without the user's MNEME_ variables, so that mneme uses its defaults."""
    return {k: v for k, v in os.environ.items() if not k.startswith("MNEME_")} | settings


def embed(command, texts, passage):
    """Returns the vectors of texts from a command (`mneme embed`), one process for each processor.

    It reads a text a line; a line break within a text becomes a space, which is the same to E5.
    Of a text above 512 tokens it reads the first 512.
    """
    import numpy

    lines = [re.sub(r"\s+", " ", text) for text in texts]
    size = max(1, math.ceil(len(lines) / (os.cpu_count() or 1)))
    command = command + (["--passage"] if passage else [])

    def run(part):
        done = subprocess.run(
            command, input="".join(line + "\n" for line in part), capture_output=True, text=True, encoding="utf-8", env=clean_environment()
        )
        if done.returncode != 0:
            raise Missing(f"{' '.join(command)} failed: {done.stderr.strip()}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    parts = [lines[i : i + size] for i in range(0, len(lines), size)]
    with concurrent.futures.ThreadPoolExecutor(len(parts)) as pool:
        vectors = [vector for part in pool.map(run, parts) for vector in part]
    if len(vectors) != len(texts):
        raise Missing(f"{' '.join(command)} printed {len(vectors)} vectors for {len(texts)} texts")
    return numpy.array(vectors, dtype=numpy.float32)


def cached(folder, name, command, probe, texts, passage):
    import numpy

    digest = hashlib.sha256(probe + b"\0".join(text.encode() for text in texts)).hexdigest()[:16]
    path = os.path.join(folder, f"{name}-{digest}.npy")
    if not os.path.exists(path):
        vectors = embed(command, texts, passage)
        with open(path + ".part", "wb") as file:
            numpy.save(file, vectors)
        os.replace(path + ".part", path)
    return numpy.load(path)
