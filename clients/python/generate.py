"""Makes what is generated of the client: the models, of openapi.yaml, and client.py, of aio.py.

Needs openapi-python-client 0.29.1. `.ci/run` compares what it makes with what is committed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).parent
package = here / "src" / "mneme"

# What differs between the two clients, in this order.
SYNCHRONOUS = [
    (r'"""The asynchronous client\. .*"""', '"""The synchronous client. Made of aio.py by generate.py."""'),
    (r"import asyncio\nimport json\n", "import json\nimport time\n"),
    (r"AsyncIterator, Awaitable, Callable, Iterable, Mapping", "Callable, Iterable, Iterator, Mapping"),
    (r"Awaitable\[None\]", "None"),
    (r"AsyncIterator", "Iterator"),
    (r"AsyncExitStack", "ExitStack"),
    (r"push_async_callback", "callback"),
    (r"AsyncMneme", "Mneme"),
    (r"AsyncPayer", "Payer"),
    (r"x402HTTPClient", "x402HTTPClientSync"),
    (r"httpx\.Async(\w+)", r"httpx.\1"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"\ba(close|read|iter_bytes)\b", r"\1"),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\basync (def|with|for)", r"\1"),
    (r"\bawait ", ""),
]


def make_synchronous() -> None:
    text = (package / "aio.py").read_text()
    for pattern, put in SYNCHRONOUS:
        text, n = re.subn(pattern, put, text)
        if n == 0:
            sys.exit(f"aio.py has no {pattern}")
    (package / "client.py").write_text(text)


def make_models() -> None:
    with tempfile.TemporaryDirectory() as work:
        made = Path(work, "made")
        subprocess.run(
            [
                Path(sys.executable).with_name("openapi-python-client"),
                "generate",
                "--path",
                here.parents[1] / "server" / "rest" / "openapi.yaml",
                "--config",
                here / "generate.yaml",
                "--output-path",
                made,
                "--meta",
                "none",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        shutil.rmtree(package / "generated", ignore_errors=True)
        (package / "generated").mkdir()
        for name in ("models", "types.py"):
            shutil.move(made / name, package / "generated" / name)
    (package / "generated" / "__init__.py").write_text('"""Made of openapi.yaml by generate.py."""\n')
    # Before Python 3.11, fromisoformat does not know the Z of UTC.
    for path in (package / "generated" / "models").glob("*.py"):
        path.write_text(re.sub(r"fromisoformat\(((?:[^()]|\([^()]*\))+)\)", r'fromisoformat(\1.replace("Z", "+00:00"))', path.read_text()))


make_models()
make_synchronous()
