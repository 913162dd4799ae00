"""Files of the examples, and the cores that they ask for."""

from __future__ import annotations

import importlib
import runpy
import shutil
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tilewright
from tilewright.generators.config.toml_file import read_toml

EXAMPLES = Path(__file__).parents[2] / "examples"

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed")


@cache
def core(config: str) -> dict[str, str]:
    """The files generated for the configuration file ``config`` of an example."""
    return tilewright.generate(read_toml(EXAMPLES / config))


def verilog(*names: str) -> dict[str, str]:
    """Texts of the files ``names`` of the examples, by plain name."""
    return {Path(name).name: (EXAMPLES / name).read_text() for name in names}


def roms(example: str) -> dict[str, bytes]:
    """The ROMs of ``example``."""
    return {path.name: path.read_bytes() for path in sorted((EXAMPLES / example).glob("*.mem"))}


@cache
def script(name: str) -> dict[str, Any]:
    """The names that the Python file ``name`` of the examples defines."""
    return runpy.run_path(str(EXAMPLES / name))


def module(name: str) -> ModuleType:
    """The module ``name`` of a package among the examples, "package.module"."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module(name)


def with_paths(sources: dict[str, str], example: str) -> dict[str, str]:
    """``sources`` with the full paths of ROMs, for a simulator that runs elsewhere."""
    for rom in roms(example):
        sources = {name: text.replace(f'"{rom}"', f'"{EXAMPLES / example / rom}"') for name, text in sources.items()}
    return sources
