#!/usr/bin/env python3
"""Compares the speed and size of mneme and other search systems: see README.md."""

import argparse
import contextlib
import json
import multiprocessing
import os
import platform
import shutil
import signal
import sys
import tempfile
import time

import indexes
from collection import Collection, recall
from dataset import Missing, percentile
from machine import disk_bytes, processor, resident_bytes
from memory_layers import Hindsight, Mem0
from qdrant import QdrantEdge
from speed_report import page

INDEXES = [indexes.Mneme, indexes.LanceDB, indexes.Weaviate, indexes.SQLite, QdrantEdge, Mem0, Hindsight]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=20_000, help="generated texts (default: %(default)s)")
    parser.add_argument(
        "--stores",
        type=int,
        nargs="+",
        default=[1, 200],
        help="among how many stores they are spread, each number a case of its own (default: 1 200)",
    )
    parser.add_argument("--queries", type=int, default=200, help="queries, each within one store (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, in which the systems take turns (default: %(default)s)")
    parser.add_argument("--depth", type=int, default=100, help="candidates of each leg of the peers (default: %(default)s)")
    parser.add_argument(
        "--budget",
        type=float,
        default=60,
        metavar="SECONDS",
        help="search time after which a system is asked no more; its row says how often it was (default: %(default)s)",
    )
    parser.add_argument("--mneme", metavar="PROGRAM", help="the mneme program")
    parser.add_argument("--weaviate", metavar="PROGRAM", help="the program weaviate-server")
    parser.add_argument("--hindsight", metavar="PYTHON", help="a Python interpreter with what requirements-hindsight.txt names")
    parser.add_argument("--without", nargs="+", default=[], metavar="NAME", help="leave these systems out")
    parser.add_argument("--seed", type=int, default=1, help="seed of texts, vectors and queries (default: %(default)s)")
    parser.add_argument("--folder", metavar="DIR", help="put the systems' data into a temporary folder here")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    parser.add_argument("--markdown", metavar="FILE", help="write the page to this file; it is printed in any case")
    parser.add_argument("--self-test", action="store_true", help="check the script on a few texts, with what is installed")
    options = parser.parse_args()
    if min(options.entries, options.queries, options.rounds, *options.stores) < 1 or options.depth < indexes.HITS:
        parser.error(f"sizes must be at least 1, and --depth {indexes.HITS}")
    for name in ("mneme", "weaviate", "hindsight"):
        if given := getattr(options, name):
            if not (program := shutil.which(given)):
                parser.error(f"--{name}: {given} is not a program")
            setattr(options, name, os.path.abspath(program))
    if options.self_test:
        options.entries, options.stores, options.queries, options.rounds = 400, [1, 8], 12, 2
    return options


def log(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def work(pipe, index, collection, options, folder):
    """Holds an index in this process and executes calls of its methods. The answer to a call is its
    result and its duration in seconds, or the error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the script ends its workers
    index = index(collection, options)
    try:
        while True:
            name, *given = pipe.recv()
            if name == "close":
                return
            began = time.perf_counter()
            try:
                result = index.program if name == "program" else getattr(index, name)(*given)
            except Missing as missing:
                pipe.send((None, 0, str(missing)))
            except Exception as error:  # of a peer: its row reports it
                pipe.send((None, 0, f"{type(error).__name__}: {str(error)[:200]}"))
            else:
                seconds = time.perf_counter() - began
                if name == "build":
                    seconds = getattr(index, "import_seconds", seconds)
                pipe.send((result, seconds, None))
    except EOFError:
        pass
    finally:
        index.close()
        pipe.close()


class System:
    """An index in a separate process."""

    def __init__(self, index, collection, options, folder):
        self.index, self.name, self.folder, self.spent = index, index.name, folder, 0.0
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, index, collection, options, folder), daemon=False)
        self.process.start()
        theirs.close()
        self.base = resident_bytes(self.process.pid)

    def call(self, name, *given):
        try:
            self.pipe.send((name, *given))
            result, seconds, failure = self.pipe.recv()
        except (EOFError, OSError):
            raise Missing(f"its process ended during {name}") from None
        if failure:
            raise Missing(failure if name == "build" else f"{self.name}: {failure}")
        return result, seconds

    def build(self):
        os.mkdir(self.folder)
        _, seconds = self.call("build", self.folder)
        self.program, _ = self.call("program")
        return seconds

    def memory(self):
        """Resident bytes: of its server, or the growth of its process."""
        server, _ = self.call("server_bytes")
        return server or resident_bytes(self.process.pid) - self.base

    def close(self):
        with contextlib.suppress(OSError):
            self.pipe.send(("close",))
        self.process.join(60)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()
        shutil.rmtree(self.folder, ignore_errors=True)


def compare(options, stores, folder):
    """Returns the results of all systems over the texts in some number of stores."""
    log(f"{options.entries} texts in {stores} stores")
    collection = Collection(options.entries, stores, options.queries, options.seed)
    results, absent, systems = {}, {}, []
    with contextlib.ExitStack() as stack:
        for number, index in enumerate(chosen(options)):
            system = System(index, collection, options, os.path.join(folder, f"{stores}-{number}"))
            stack.callback(system.close)
            try:
                log(f"{system.name}: import")
                seconds = system.build()
                for i in range(options.queries if index.warm is None else min(index.warm, options.queries)):
                    system.call("hybrid", i)
            except Missing as missing:
                absent[system.name] = str(missing)
                log(f"{system.name} is absent: {missing}")
                continue
            systems.append(system)
            results[system.name] = {
                "version": system.program,
                "search": index.search,
                "import_seconds": seconds,
                "entries_per_s": options.entries / seconds,
                "disk_bytes": disk_bytes(os.path.join(system.folder, index.data)),
            }
        times, own = rounds(systems, collection, options)
        for system in systems:
            took = times[system.name]
            results[system.name] |= {
                "resident_bytes": system.memory(),
                "searches": len(took),
                "own_text@10": own[system.name] / len(took),
                "p50_ms": percentile(took, 0.5) * 1000,
                "p99_ms": percentile(took, 0.99) * 1000,
            }
        for system in systems:
            log(f"{system.name}: legs")
            results[system.name] |= legs(system, collection, options)
    return {"entries": options.entries, "stores": stores, "queries": options.queries, "systems": results, "absent": absent}


def chosen(options):
    extra = [indexes.Plain] if options.self_test else []
    return [index for index in INDEXES + extra if index.name not in options.without]


def rounds(systems, collection, options):
    """Returns the seconds of hybrid searches by system, and how many found the text that the query was
    made of. The systems take turns query by query, and another one begins each time."""
    times, own = {system.name: [] for system in systems}, {system.name: 0 for system in systems}
    for number in range(options.rounds):
        log(f"round {number + 1} of {options.rounds}")
        for i in range(options.queries):
            first = i % max(1, len(systems))
            for system in systems[first:] + systems[:first]:
                if system.spent < options.budget:
                    rows, seconds = system.call("hybrid", i)
                    times[system.name].append(seconds)
                    own[system.name] += collection.targets[i] in rows
                    system.spent += seconds
    return times, own


def legs(system, collection, options):
    """The recall@10 of each leg, and the time of the vector leg, over as many queries as the budget allows."""
    exact = {"words": lambda i: collection.scores(i, system.index.bm25), "vectors": collection.cosines}
    found, took = ({leg: [] for leg in system.index.legs} for _ in range(2))
    end = time.monotonic() + options.budget
    for i in range(options.queries):
        if time.monotonic() > end and found["vectors"]:
            break
        for leg in found:
            rows, seconds = system.call(leg, i)
            found[leg].append(recall(exact[leg](i), rows))
            took[leg].append(seconds)
    mean = lambda values: sum(values) / len(values)
    return {
        f"{leg}_{what}": value for leg in found for what, value in (("recall@10", mean(found[leg])), ("p50_ms", percentile(took[leg], 0.5) * 1000))
    } | {"leg_queries": len(found["vectors"])}


def measure(options):
    with tempfile.TemporaryDirectory(prefix="mneme-peers-", dir=options.folder) as folder:
        began = os.getloadavg()[0]
        cases = [compare(options, stores, folder) for stores in options.stores]
        return {
            "date": time.strftime("%Y-%m-%d"),
            "processor": processor(),
            "cpus": os.cpu_count(),
            "system": platform.system(),
            "python": platform.python_version(),
            "load": [began, os.getloadavg()[0]],
            "depth": options.depth,
            "rounds": options.rounds,
            "budget_seconds": options.budget,
            "seed": options.seed,
            "left_out": options.without,
            "cases": cases,
        }


def main():
    options = arguments()
    report = measure(options)
    text = page(report)
    if options.self_test:
        import speed_selftest

        speed_selftest.check(report, text, options)
    print(text)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)
            file.write("\n")
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # it still ends its servers
    try:
        main()
    except Missing as missing:
        sys.exit(f"speed.py: {missing}")
    except ImportError as error:
        sys.exit(f"speed.py: {error}; see requirements.txt")
