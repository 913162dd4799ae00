"""Imports go one way (hdl <- generators <- fpga; sim_tests may use all) and each outside library has its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

FOLDERS = ("hdl", "generators", "fpga", "sim_tests")
MAY_IMPORT = {
    "hdl": {"hdl"},
    "generators": {"hdl", "generators"},
    "fpga": {"hdl", "generators", "fpga"},
    "sim_tests": set(FOLDERS),
}
# The command line is the door to everything; what lies above `generators` is imported when a command runs.
DOORS = {"generators/commands": {"sim_tests", "fpga"}}
# Library -> the only places that may import it, tests aside.
PLACES = {
    "amaranth.back": ("generators/emit/",),
    "pyosys": ("generators/emit/yosys_worker.py",),
    "argparse": (),
}
# Components know neither files nor the machine they are elaborated on.
NOT_IN_HDL = {"os", "sys", "io", "pathlib", "shutil", "subprocess", "tempfile", "argparse", "typer", "rich"}


def folder_root(folder: str) -> Path:
    return Path(str(resources.files(f"tilewright.{folder}")))


def imports(tree: ast.AST, *, deferred: bool = False) -> Iterator[tuple[int, str, bool]]:
    """(line, dotted module, whether only for a function or for type checking) of each import; dots are kept."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, deferred) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module in ("tilewright", "amaranth"):
                yield from ((node.lineno, f"{module}.{alias.name}", deferred) for alias in node.names)
            else:
                yield node.lineno, module, deferred
        else:
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            typing = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            yield from imports(node, deferred=deferred or function or typing)


def objection(file: str, module: str, deferred: bool) -> str | None:
    """Why ``file`` (from the repository's root) may not import ``module``; None where it may."""
    folder, (top, *rest) = file.split("/")[0], module.split(".")
    target = rest[0] if top == "tilewright" and rest else None
    if module.startswith("."):
        return "imports are absolute"
    if top in FOLDERS:
        return f"the folder {top}/ is imported as tilewright.{top}"
    if target in FOLDERS and target not in MAY_IMPORT[folder]:
        door = next((allowed for door, allowed in DOORS.items() if file.startswith(f"{door}/")), set())
        if target not in door:
            return f"{folder} does not import {target}"
        return None if deferred else f"a command imports {target} only when it runs"
    if folder == "hdl" and top in NOT_IN_HDL:
        return f"hdl does not import {top}"
    if file.startswith("generators/reference/") and top == "amaranth":
        return "a reference model does not import amaranth"
    for library, places in PLACES.items():
        if (module == library or module.startswith(f"{library}.")) and folder != "sim_tests":
            return None if file.startswith(places) else f"{library} is imported only by {', '.join(places) or 'nobody'}"
    return None


def offences(folder: str, root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*.py")):
        file = f"{folder}/{path.relative_to(root).as_posix()}"
        text = path.read_text(encoding="utf-8")
        for line, module, deferred in imports(ast.parse(text)):
            reason = objection(file, module, deferred)
            if reason is not None:
                found.append(f"{file}:{line}: {text.splitlines()[line - 1].strip()}  <- {reason}")
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_go_one_way(folder: str) -> None:
    found = offences(folder, folder_root(folder))
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_of_modules_is_a_package(folder: str) -> None:
    root = folder_root(folder)
    modules = {path.parent for path in root.rglob("*.py") if path.parent.name != "templates"}  # texts to be copied
    missing = sorted(str(path.relative_to(root.parent)) for path in modules if not (path / "__init__.py").is_file())
    assert not missing, f"without __init__.py these stay out of the wheel: {missing}"


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("hdl/pe/x.py", "from tilewright.generators.config import derived"),
        ("hdl/x.py", "import os"),
        ("hdl/x.py", "from tilewright import generators"),
        ("hdl/x.py", "from . import numeric"),
        ("generators/x.py", "import hdl.numeric"),
        ("generators/report/x.py", "def f():\n    from tilewright.sim_tests.harness import tools"),
        ("generators/commands/x.py", "from tilewright.sim_tests.harness import tools"),
        ("generators/emit/x.py", "from tilewright.fpga import boards"),
        ("generators/emit/x.py", "import pyosys"),
        ("generators/report/x.py", "from amaranth.back import rtlil"),
        ("generators/report/x.py", "from amaranth import back"),
        ("generators/reference/x.py", "from amaranth.hdl import Shape"),
        ("fpga/x.py", "import tilewright.sim_tests.harness"),
    ],
)
def test_an_offending_line_is_told(tmp_path: Path, file: str, line: str) -> None:
    folder, _, inner = file.partition("/")
    path = tmp_path / inner
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"'''Planted.'''\n{line}\n")
    (told,) = offences(folder, tmp_path)
    assert told.startswith(f"{file}:{1 + len(line.splitlines())}: {line.splitlines()[-1].strip()}")


@pytest.mark.parametrize("line", ["def f():", "if TYPE_CHECKING:"])
def test_a_command_may_import_upwards_when_it_runs(tmp_path: Path, line: str) -> None:
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "x.py").write_text(f"{line}\n    from tilewright.sim_tests.harness import tools\n")
    assert offences("generators", tmp_path) == []
