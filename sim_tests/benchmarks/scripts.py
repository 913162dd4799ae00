"""The benches as modules: they are scripts, which the package does not hold."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from tilewright.sim_tests.benchmarks.record import ROOT

SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))


def script(name: str) -> ModuleType:
    """The module ``benchmarks/name.py``."""
    path = ROOT / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
