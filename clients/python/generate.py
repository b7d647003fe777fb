"""Generates the models of the client from openapi.yaml, and client.py from aio.py.

Needs openapi-python-client 0.29.1. `.ci/run` compares its output with the committed files.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).parent
package = here / "src" / "mneme"

# The differences between the two clients, as ordered substitutions.
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


# Added to types.py: a model does not print absent members.
UNSET_SHOWN = """
    def __repr__(self) -> str:
        return ""
"""
WITHOUT_UNSET = '''
Model = TypeVar("Model")


def without_unset(model: type[Model]) -> type[Model]:
    """ Makes a model print the members that it has """

    def show(self: Any) -> str:
        members = ((field.name, getattr(self, field.name)) for field in fields(type(self)))
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in members if not isinstance(value, Unset))})"

    model.__repr__ = show  # type: ignore[method-assign,assignment]
    return model

'''


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

    for path in (package / "generated" / "models").glob("*.py"):
        text = path.read_text().replace("@_attrs_define\n", "@_without_unset\n@_attrs_define\n")
        path.write_text(
            text.replace(
                "from ..types import UNSET, Unset\n", "from ..types import UNSET, Unset\nfrom ..types import without_unset as _without_unset\n", 1
            )
        )
    types = package / "generated" / "types.py"
    text, n = re.subn(r"(    def __bool__\(self\) -> Literal\[False\]:\n        return False\n)", r"\1" + UNSET_SHOWN, types.read_text())
    text = text.replace("TypeVar, Literal, IO", "TypeVar, Any, Literal, IO").replace("from attrs import define", "from attrs import define, fields")
    text, m = re.subn(r"\n__all__ = \[", WITHOUT_UNSET + r'\n__all__ = ["without_unset", ', text)
    if n != 1 or m != 1:
        sys.exit("types.py is not as it was")
    types.write_text(text)


make_models()
make_synchronous()
