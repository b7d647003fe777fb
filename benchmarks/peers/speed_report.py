"""The results of speed.py as a page."""

from report import row

HEADER = """# Speed beside other systems

Written by [benchmarks/peers/speed.py](../benchmarks/peers/README.md#speed); do not edit.

{date}, {processor} ({cpus} logical processors), {system}, Python {python}. Load average at
the beginning and the end: {load[0]:.1f}, {load[1]:.1f}. Above the number of processors, others were
using the machine: then compare the systems, not the times.

The same generated texts of 20–40 words, with the same vectors of 384 dimensions. Every query
searches one store, by words and vectors, and gets ten hits; making its vector is no part
of the time. The systems take turns query by query.
"""

FOOTER = """
- p50, p99: of {rounds} rounds of all queries. A system that searched longer than {budget:g} s was asked
  less often, as its row says. [What the other columns are](../benchmarks/peers/README.md#the-columns).
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
