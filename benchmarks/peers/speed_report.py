"""The results of speed.py as a page."""

from report import row

HEADER = """# Speed compared with other systems

Written by [benchmarks/peers/speed.py](../benchmarks/peers/README.md#speed); do not edit.

{date}, {processor} ({cpus} logical processors), {system}, Python {python}. Load average: {load[0]:.1f} to
{load[1]:.1f}. Above the number of processors, compare the systems, not the times.

The same generated texts of 20–40 words and vectors of 384 dimensions. Every query searches
one store, by words and a given vector, for ten hits; the systems take turns query by query.
"""

FOOTER = """
- import: of given texts and vectors, until all can be searched, one system after another. mneme
  fetches the vectors by HTTP.
- disk: of the data. memory: of the server (Hindsight's with its PostgreSQL), or by how much the
  process that holds the system has grown.
- p50, p99: of {rounds} rounds of all queries; a system is asked for {budget:g} s.
- words@10: the share of the first ten texts by BM25, with the system's own k1, b and counts, that
  words alone find. vectors@10: of the ten nearest. –: cannot be asked alone, or is not BM25.
- own text@10: the searches that return the text that the query was made of.
"""


def page(report):
    lines = [HEADER.format(**report)]
    versions = {}
    for case in report["cases"]:
        lines += table(case)
        versions |= {name: result for name, result in case["systems"].items()}
    lines += [f"- {name}: {result['version']}. {result['search']}." for name, result in versions.items()]
    if report["left_out"]:
        lines.append(f"- left out: {', '.join(report['left_out'])}.")
    return "\n".join(lines) + FOOTER.format(rounds=report["rounds"], budget=report["budget_seconds"])


def table(case):
    where = "in one store" if case["stores"] == 1 else f"in {case['stores']:,} stores, searched within one"
    lines = [f"## {case['entries']:,} texts {where}", ""]
    columns = ["system", "import, texts/s", "disk MB", "memory MB", "p50 ms", "p99 ms", "p50 ÷ mneme's", "words@10", "vectors@10", "own text@10"]
    lines += [row(columns), row(["---"] + ["---:"] * (len(columns) - 1))]
    base = case["systems"].get("mneme")
    most = max((r["searches"] for r in case["systems"].values()), default=0)
    for name, r in case["systems"].items():
        asked = "" if r["searches"] == most else f" ({r['searches']} searches)"
        lines.append(
            row(
                [
                    name + asked,
                    f"{r['entries_per_s']:,.0f}",
                    f"{r['disk_bytes'] / 1e6:,.0f}",
                    f"{r['resident_bytes'] / 1e6:,.0f}",
                    number(r["p50_ms"]),
                    number(r["p99_ms"]),
                    number(r["p50_ms"] / base["p50_ms"]) if base else "",
                    share(r, "words_recall@10"),
                    share(r, "vectors_recall@10"),
                    share(r, "own_text@10"),
                ]
            )
        )
    for name, why in case["absent"].items():
        lines.append(row([name, f"absent: {why}"] + [""] * (len(columns) - 2)))
    return lines + [""]


def share(result, name):
    return f"{result[name]:.3f}" if name in result else "–"


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
