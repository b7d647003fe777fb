"""A check of the script in seconds, on the memories of examples/samples/."""

import json
import math
import os

import dataset

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "samples", "memories.jsonl")

# Questions by store, with the key of the entry that answers them lexically.
QUESTIONS = [
    ("iris", "what is Ben allergic to? peanuts or cashews?", "diet/ben"),
    ("iris", "how do I top up the boiler when the heating loses pressure?", "home/heating"),
    ("iris", "is Lena vegetarian?", "diet/lena"),
]
# Minimum results of the systems that need only Python. The others have their own analysis and vectors.
ALWAYS = ("SQLite FTS5", "plain BM25")


def write(folder):
    """Writes a BEIR folder with stores into a folder, and returns its path."""
    folder = os.path.join(folder, "samples")
    os.mkdir(folder)
    with open(SAMPLES, encoding="utf-8") as file:
        memories = [json.loads(line) for line in file]
    corpus = [
        {
            "_id": f"{m['store']}:{m['key']}",
            "title": m.get("description", ""),
            "store": m["store"],
            "text": m["value"] if isinstance(m["value"], str) else json.dumps(m["value"]),
        }
        for m in memories
    ]
    # An entry of another store with the same words must never be found.
    corpus += [{"_id": f"decoy:{n}", "title": "", "text": question, "store": "decoy"} for n, (_, question, _) in enumerate(QUESTIONS)]
    queries = [{"_id": f"q{n}", "text": question, "store": store} for n, (store, question, _) in enumerate(QUESTIONS)]
    for name, lines in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    with open(os.path.join(folder, "qrels.tsv"), "w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        file.writelines(f"q{n}\t{store}:{key}\t1\n" for n, (store, _, key) in enumerate(QUESTIONS))
    return folder


def check(report, text):
    """Fails if the report of the written folder is wrong."""
    check_measures()
    (results,) = report["sets"]
    for name, result in results["systems"].items():
        # A decoy, found first, would cost each query a rank.
        expect(name not in ALWAYS or result["ndcg@10"] == 1, f"{name}: nDCG@10 {result['ndcg@10']}, want 1")
        expect(result["recall@10"] == 1, f"{name}: Recall@10 {result['recall@10']}, want 1")
        expect(0 < result["p50_ms"] <= result["p95_ms"], f"{name}: p50 {result['p50_ms']}, p95 {result['p95_ms']}")
        expect(f"| {name} |" in text, f"{name} is not in the table")
    for name in ALWAYS:
        expect(name in results["systems"], f"{name} is absent: {results['absent'].get(name)}")
    for name in results["absent"]:
        expect(f"| {name} | absent" in text, f"{name} is absent, but the table does not say so")


def check_measures():
    """The measures of a ranking, computed by hand."""
    grades = {"a": 2, "b": 1, "c": 0, "d": 1, "e": -1}
    ranked = ["c", "a", "e", "b"]
    want = (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3) + 1 / math.log2(4))
    expect(abs(dataset.ndcg(grades, ranked) - want) < 1e-12, "nDCG@10 of a known ranking")
    expect(abs(dataset.recall(grades, ranked) - 2 / 3) < 1e-12, "Recall@10 of a known ranking")
    expect(dataset.ndcg(grades, ["x"] * 10 + ["a"]) == 0, "nDCG@10 of a document in rank 11")
    expect([dataset.percentile([4, 1, 3, 2], s) for s in (0.5, 0.95)] == [2, 4], "percentiles of four values")


def expect(condition, failure):
    if not condition:
        raise dataset.Missing("self-test: " + failure)
