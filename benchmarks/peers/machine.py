"""The machine's description in reports, and the resources used by a process and a folder."""

import contextlib
import os
import platform
import subprocess


def processor():
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def resident_bytes(pid):
    """The resident memory of a process, or 0 if unknown."""
    done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True)
    return int(done.stdout.strip() or 0) * 1024


def shared_resident_bytes(pid):
    """The resident memory of a process and its children, counting shared memory once.
    Linux only; elsewhere 0."""
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
    total = 0
    for process in [str(pid), *children]:
        with contextlib.suppress(OSError), open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total * 1024


def disk_bytes(folder):
    """The disk space used by the files of a folder."""
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
    return total
