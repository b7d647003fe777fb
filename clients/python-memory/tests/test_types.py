"""The package's types, as a strict checker sees them beside the frameworks that are tested."""

from pathlib import Path

import mneme_memory
import pytest
from conftest import wanted
from mypy import api

FOLDER = Path(mneme_memory.__file__).parent


def modules() -> list[str]:
    """Returns the modules of the package but those for other frameworks."""
    frameworks = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    return [f"mneme_memory.{p.stem}" for p in FOLDER.glob("*.py") if p.stem != "__init__" and (p.stem not in frameworks or wanted(p.stem))]


def test_the_types_are_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # beside the package a module would be found twice
    monkeypatch.setenv("MYPYPATH", str(FOLDER.parent))
    options = ["--strict", "--follow-imports", "silent", "--cache-dir", str(tmp_path)]
    said, errors, status = api.run([*options, *(word for name in ["mneme_memory", *modules()] for word in ("-m", name))])
    assert status == 0, said + errors
