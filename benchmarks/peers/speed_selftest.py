"""A check of speed.py in seconds."""

from collection import BM25, Collection, best, fuse, recall
from selftest import expect


def check(report, text, options):
    """Fails if the report of a small collection is wrong."""
    check_measures()
    check_collection()
    expect([case["stores"] for case in report["cases"]] == options.stores, "a case for each number of stores")
    for case in report["cases"]:
        expect("plain" in case["systems"], f"the plain index is absent: {case['absent'].get('plain')}")
        for name, result in case["systems"].items():
            least = {"plain": 1, "mneme": 0.99}.get(name, 0.9)
            expect("vectors_recall@10" in result, f"{name}: its vectors are not compared")
            for leg in ("words", "vectors"):
                found = result.get(f"{leg}_recall@10", 1)
                expect(least <= found <= 1, f"{name}: {leg} have recall {found}")
            expect(0 <= result["own_text@10"] <= 1, f"{name}: {result['own_text@10']} of the queries find their text")
            expect(0 < result["p50_ms"] <= result["p99_ms"], f"{name}: p50 {result['p50_ms']}, p99 {result['p99_ms']}")
            expect(result["searches"] == options.queries * options.rounds, f"{name}: {result['searches']} searches")
            expect(result["entries_per_s"] > 0, f"{name}: no import")
            expect(f"| {name} |" in text, f"{name} is not in the table")
        for name in case["absent"]:
            expect(f"| {name} | absent" in text, f"{name} is absent, but the table does not say so")


def check_measures():
    scores = {row: 20.0 - row for row in range(20)} | {100: 11.0}  # 100 ties with 9
    expect(recall(scores, list(range(10))) == 1, "recall of the exact answer")
    expect(recall(scores, [*range(9), 100]) == 1, "recall of the exact answer, with the other of a tie")
    expect(recall(scores, [*range(9), 15]) == 0.9, "recall with one hit that is not among the first ten")
    expect(recall(scores, [0] * 10) == 0.1, "recall of one hit, repeated")
    expect(recall({}, []) == 1, "recall where there is nothing to find")
    expect(fuse([["a", "b", "c"], ["b", "d"]], 3) == ["b", "a", "d"], "fusion of two lists")


def check_collection():
    one, again = Collection(200, 10, 5), Collection(200, 10, 5)
    expect(one.texts == again.texts and (one.vectors == again.vectors).all(), "the same seed gives the same collection")
    expect(len(set(one.stores)) == 10 and {len(rows) for rows in one.rows.values()} == {20}, "ten stores of twenty texts")
    for i, target in enumerate(one.targets):
        expect(target in one.within(i) and len(one.within(i)) == 20, f"query {i} asks the store of its text")
        expect(best(one.cosines(i), 1) == [target] and target in best(one.scores(i, BM25()), 10), f"query {i} finds its text")
        expect(set(one.scores(i, BM25(scoped=True))) == set(one.scores(i, BM25())), f"query {i}: counts choose no texts")
