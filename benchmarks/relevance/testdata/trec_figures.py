"""Figures of trec_eval for a run, by PyPI's pytrec_eval-terrier.

usage: trec_figures.py QRELS.tsv RUN.trec

Prints one JSON object: the means over the questions with a relevant document,
where one that the run lacks counts 0.
"""

import json
import sys

import pytrec_eval

qrels, run, top = {}, {}, {}
with open(sys.argv[1]) as lines:
    next(lines)
    for line in lines:
        query, document, score = line.rstrip("\n").split("\t")
        qrels.setdefault(query, {})[document] = int(score)
with open(sys.argv[2]) as lines:
    for line in lines:
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, {})[document] = float(score)

measures = {"ndcg_cut.10", "recall.5,10,100", "map", "recip_rank"}
evaluated = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
names = {"ndcg_10": "ndcg_cut_10", "recall_5": "recall_5", "recall_10": "recall_10", "recall_100": "recall_100", "map": "map"}
judged = [q for q, documents in qrels.items() if any(s > 0 for s in documents.values())]
means = {"queries": len(judged)}
for ours, theirs in names.items():
    means[ours] = sum(evaluated.get(q, {}).get(theirs, 0) for q in judged) / len(judged)
# trec_eval has no measure for having found everything.
means["recall_all_10"] = sum(evaluated.get(q, {}).get("recall_10", 0) > 1 - 1e-9 for q in judged) / len(judged)
# trec_eval has no recip_rank_cut: below rank ten the first relevant document
# counts nothing.
ranks = [evaluated.get(q, {}).get("recip_rank", 0) for q in judged]
means["mrr_10"] = sum(r for r in ranks if r > 0.0999) / len(judged)
print(json.dumps(means, indent=1))
