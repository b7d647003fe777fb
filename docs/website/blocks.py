"""Runs the shell blocks of README, docs/index.md and the guides, each document in a copy of the repository.

blocks.py REPOSITORY WORK [DOCUMENT…] runs all blocks that are marked as sh, in their order and in one
shell, which ends at the first command that fails; an HTTP error is a failure, too. Exceptions
are in a comment right before the block, one per line:

    <!-- shell: skip (REASON) -->                   the block is not run
    <!-- shell: leave out "TEXT" (REASON) -->       nor is its line with TEXT
    <!-- shell: in the background "TEXT" -->        its line with TEXT starts a server
    <!-- shell: first COMMAND -->                   runs before it
    <!-- shell: NAME=VALUE -->                      what NAME in the block stands for
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

BLOCK = re.compile(r"(?ms)^(?:<!--(?P<marks>(?:(?!-->).)*)-->\n\s*)?```(?P<language>\w*)\n(?P<text>.*?)^```$")
LIMIT = 900  # seconds per document, so that a hanging one ends

# Servers of the documents listen on one port, so they are waited for, and end with the shell.
PRELUDE = """
set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error --retry 30 --retry-delay 1 --retry-connrefused "$@"; }
export PATH=$PWD:$PATH
"""
BUILD = "go build -o mneme ./cmd/mneme\n"


class Unclear(Exception):
    """An unknown mark, or one with a text that is not in the block."""


def shell_of(block: re.Match, left_out: list[str]) -> str:
    """The commands of a block to run; skipped ones are added to left_out."""
    text, before = block["text"], []
    for mark in (line.strip() for line in (block["marks"] or "").split("\n")):
        if not mark.startswith("shell:"):
            continue
        mark = mark.removeprefix("shell:").strip()
        if m := re.fullmatch(r"skip \((.+)\)", mark):
            left_out.append(m[1])
            return ""
        if m := re.fullmatch(r'(leave out|in the background) "([^"]+)"(?: \((.+)\))?', mark):
            lines = [line for line in text.splitlines() if m[2] in line]
            if len(lines) != 1:
                raise Unclear(f"{m[2]!r} is in {len(lines)} lines")
            if m[1] == "leave out":
                left_out.append(m[3])
                text = text.replace(lines[0] + "\n", "")
            else:
                text = text.replace(lines[0], lines[0].split("  #")[0] + " &")
        elif mark.startswith("first "):
            before.append(mark.removeprefix("first "))
        elif m := re.fullmatch(r"([A-Z]+)=(.+)", mark):
            if not re.search(rf"\b{m[1]}\b", text):
                raise Unclear(f"the block has no {m[1]}")
            before.append(mark)
            text = re.sub(rf"\b{m[1]}\b", "${" + m[1] + "}", text)
        else:
            raise Unclear(mark)
    return "\n".join([*before, text])


def copy(repository: Path, to: Path) -> None:
    """Copies the files that git tracks, in their current state."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True).stdout
    for file in filter(None, files.split("\0")):
        if (repository / file).exists():
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / file, to / file)


def run(repository: Path, work: Path, document: str) -> tuple[int, list[str], bool]:
    """Runs a document; returns the number of blocks that ran, the skipped parts with their reasons, and whether all passed."""
    left_out: list[str] = []
    found = (m for m in BLOCK.finditer((repository / document).read_text()) if m["language"] == "sh")
    blocks = [shell_of(m, left_out) for m in found]
    blocks = [block for block in blocks if block]
    if not blocks:
        return 0, left_out, True
    script = "\n".join(blocks)
    script = PRELUDE + ("" if "go run" in script or BUILD in script else BUILD) + script
    home = work / re.sub(r"\W", "-", document)
    home.mkdir()
    clone = work / "mneme"  # the same path for all, so that they share builds
    copy(repository, clone)
    built = work / "built"  # the program built for the last document; go build reuses it
    if built.exists():
        shutil.copy2(built, clone / "mneme")
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("MNEME_", "XDG_")) and k != "CI"}
    go = {k: subprocess.run(["go", "env", k], capture_output=True, text=True, check=True).stdout.strip() for k in ("GOCACHE", "GOMODCACHE")}
    with (home / "said").open("w+") as said:
        shell = subprocess.Popen(
            ["bash", "-c", script], cwd=clone, env={**keep, **go, "HOME": str(home)}, stdout=said, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status: object = shell.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = "none in time"
        with contextlib.suppress(ProcessLookupError):  # end the remaining servers
            os.killpg(shell.pid, signal.SIGTERM)
        shell.wait()
        if (clone / "mneme").exists():
            shutil.copy2(clone / "mneme", built)
        clone.rename(home / "mneme")
        said.seek(0)
        if status != 0:
            print(f"{document}: status {status}\n{said.read()}")
    return len(blocks), left_out, status == 0


def main() -> None:
    repository, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    documents = sys.argv[3:] or [
        "README.md",
        "docs/index.md",
        *sorted(str(p.relative_to(repository)) for p in (repository / "docs" / "guides").glob("*.md")),
    ]
    total, failed, all_left = 0, [], 0
    for document in documents:
        begun = time.monotonic()
        ran, left_out, well = run(repository, work, document)
        total, all_left = total + ran, all_left + len(left_out)
        if not well:
            failed.append(document)
        if ran or left_out:
            print(f"{document}: {ran} blocks run in {time.monotonic() - begun:.0f} s" + "".join(f"; left out: {why}" for why in left_out), flush=True)
    print(f"{total} blocks run, {all_left} commands or blocks left out, {len(failed)} documents failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
