"""The results as Markdown."""


def markdown(report):
    lines = [f"{report['date']}, {report['processor']}, {report['system']}, Python {report['python']}.", ""]
    for results in report["sets"]:
        lines += table(results)
    versions = {}
    for results in report["sets"]:
        for name, result in results["systems"].items():
            versions[name] = f"- {name}: {result['version']}. Timed: {result['timed']}."
    return "\n".join(lines + list(versions.values())) + "\n"


def table(results):
    stores = f" in {results['stores']} stores" if results["stores"] else ""
    lines = [f"**{results['dataset']}**: {results['documents']:,} documents{stores}, {results['queries']:,} queries", ""]
    base = results["systems"].get("mneme", {})
    timed = any("p50_ms" in r for r in results["systems"].values())
    relative = timed and "p50_ms" in base
    columns = ["system", "nDCG@10", "Recall@10"]
    columns += ["p50 ms", "p95 ms"] if timed else []
    columns += ["p50 ÷ mneme's", "p95 ÷ mneme's"] if relative else []
    lines += [row(columns), row(["---"] + ["---:"] * (len(columns) - 1))]
    for name, r in results["systems"].items():
        cells = [name, measure(r["ndcg@10"]), measure(r["recall@10"])]
        cells += [f"{r['p50_ms']:.2f}", f"{r['p95_ms']:.2f}"] if timed else []
        cells += [f"{r['p50_ms'] / base['p50_ms']:.2f}", f"{r['p95_ms'] / base['p95_ms']:.2f}"] if relative else []
        lines.append(row(cells))
    for name, why in results["absent"].items():
        lines.append(row([name, f"absent: {why}"] + [""] * (len(columns) - 2)))
    if "first_p50_ms" in base:
        p50, p95 = base["first_p50_ms"], base["first_p95_ms"]
        lines += ["", f"mneme's first search for a query, which makes its vector: p50 {p50:.1f} ms, p95 {p95:.1f} ms."]
    return lines + [""]


def row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def measure(value):
    return f"{value:.4f}".lstrip("0") if value < 1 else f"{value:.4f}"
