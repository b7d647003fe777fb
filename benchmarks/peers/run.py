#!/usr/bin/env python3
"""Compares mneme with other search systems, on the same texts and vectors: see README.md."""

import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time

import selftest
from dataset import Dataset, Missing, evaluate, percentile
from machine import processor
from mneme import Mneme, Server
from report import markdown
from systems import PEERS

RANKINGS = [None, "rrf"]  # of mneme; None is the default


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help="folder of a BEIR dataset; repeatable")
    parser.add_argument("--mneme", metavar="PROGRAM", help="the mneme program; without it, neither mneme nor vectors")
    parser.add_argument("--multilingual", action="store_true", help="the vectors of mneme's multilingual model instead of its English one's")
    parser.add_argument("--cache", metavar="DIR", help="keep vectors and mneme's data folders here for the next run")
    parser.add_argument(
        "--dsn",
        default=os.environ.get("MNEME_POSTGRES_DSN"),
        help="a PostgreSQL database; the script uses a schema of its own and drops it (default: MNEME_POSTGRES_DSN)",
    )
    parser.add_argument("--depth", type=int, default=100, help="candidates of each leg of the hybrid peers (default: %(default)s)")
    parser.add_argument("--timed", type=int, default=100, help="queries of a timed round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds, in which the systems take turns; 0: none (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables to this file; they are printed in any case")
    parser.add_argument("--self-test", action="store_true", help="check the script on a few memories, with what is installed")
    options = parser.parse_args()
    if not options.data and not options.self_test:
        parser.error("--data or --self-test is required")
    if options.depth < 10 or options.timed < 1 or options.rounds < 0:
        parser.error("--depth must be at least 10, --timed at least 1, and --rounds at least 0")
    if options.mneme:
        program = shutil.which(options.mneme)
        if not program:
            parser.error(f"--mneme: {options.mneme} is not a program")
        options.mneme = os.path.abspath(program)
    return options


def log(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def compare(folder, options):
    """Returns the results of all systems over a dataset."""
    dataset = Dataset(folder)
    log(f"{dataset.name}: {len(dataset.ids)} documents, {len(dataset.queries)} queries")
    with contextlib.ExitStack() as stack:
        systems, absent = build(dataset, options, stack)
        if not systems:
            raise Missing("no system could be built: " + "; ".join(f"{name}: {why}" for name, why in absent.items()))
        rankings, first = {}, {}
        for system in systems:
            log(f"{dataset.name}: asking {system.name}")
            first[system.name] = times = []
            rankings[system.name] = [timed(system, i, times) for i in range(len(dataset.queries))]
        times = rounds(dataset, systems, options)
    results = {}
    for system in systems:
        results[system.name] = result = {"version": system.program, "timed": system.timed}
        result |= evaluate(dataset, rankings[system.name])
        if times:
            result |= {"p50_ms": percentile(times[system.name], 0.5), "p95_ms": percentile(times[system.name], 0.95)}
        if system.name == "mneme":  # the time that includes embedding the query
            result["first_p50_ms"], result["first_p95_ms"] = (percentile(first["mneme"], share) for share in (0.5, 0.95))
    return {
        "dataset": dataset.name,
        "documents": len(dataset.ids),
        "queries": len(dataset.queries),
        "stores": len(set(dataset.stores)) if dataset.has_stores else 0,
        "systems": results,
        "absent": absent,
    }


def build(dataset, options, stack):
    """Returns the systems over a dataset, and the reasons why the others are absent."""
    absent, systems = {}, []
    no_vectors = None if options.mneme else "no vectors without --mneme"
    if options.mneme:
        log(f"{dataset.name}: vectors")
        try:
            dataset.embed([options.mneme, "embed", *(["--multilingual"] if options.multilingual else [])], options.cache)
        except ImportError:
            no_vectors = "no vectors without numpy; see requirements.txt"
        log(f"{dataset.name}: mneme")
        server = Server(dataset, options)
        stack.callback(server.close)
        for ranking in RANKINGS:
            try:
                systems.append(Mneme(server, ranking))
            except Missing as missing:
                absent[f"mneme, ranking {ranking}"] = str(missing)
    else:
        absent["mneme"] = "no --mneme"
    for peer in PEERS:
        log(f"{dataset.name}: {peer.name}")
        if peer.needs_vectors and no_vectors:
            absent[peer.name] = no_vectors
            continue
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-peers-"))
        system = peer(dataset, options)
        stack.callback(system.close)
        try:
            system.build(folder)
            systems.append(system)
        except Missing as missing:
            absent[peer.name] = str(missing)
            log(f"{peer.name} is absent: {missing}")
    return systems, absent


def timed(system, i, times):
    """Returns the ranking of query i, and appends its time in ms."""
    start = time.perf_counter()
    ranked = system.search(i)
    times.append((time.perf_counter() - start) * 1000)
    return ranked


def rounds(dataset, systems, options):
    """Returns the times of searches in ms by system. In each round every system answers the same
    queries, and each round begins with another system."""
    count = min(options.timed, len(dataset.queries))
    chosen = [i * len(dataset.queries) // count for i in range(count)]
    times = {system.name: [] for system in systems} if options.rounds else {}
    for number in range(options.rounds):
        log(f"{dataset.name}: timed round {number + 1} of {options.rounds}")
        first = number % len(systems)
        for system in systems[first:] + systems[:first]:
            for i in chosen:
                timed(system, i, times[system.name])
    return times


def main():
    options = arguments()
    with contextlib.ExitStack() as stack:
        if options.cache:
            os.makedirs(options.cache, exist_ok=True)
        else:
            options.cache = stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-peers-"))
        if options.self_test:
            options.data = [selftest.write(stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-peers-")))]
            options.rounds, options.timed = 2, 3
        report = {
            "date": time.strftime("%Y-%m-%d"),
            "processor": f"{processor()}, {os.cpu_count()} logical",
            "system": platform.system(),
            "python": platform.python_version(),
            "depth": options.depth,
            "rounds": options.rounds,
            "timed_queries": options.timed,
            "sets": [compare(folder, options) for folder in options.data],
        }
    text = markdown(report)
    if options.self_test:
        selftest.check(report, text)
    print(text)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)
            file.write("\n")
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    # Ended by a signal, it still ends its server and drops its schema.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Missing as missing:
        sys.exit(f"run.py: {missing}")
