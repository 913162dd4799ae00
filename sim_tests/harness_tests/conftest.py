import importlib
import json
import time
from pathlib import Path

import pytest

from tilewright.generators.cache_folder import cache_folder
from tilewright.sim_tests.harness import BuildSpec
from tilewright.sim_tests.harness.build import Progress
from tilewright.sim_tests.harness.ledger import VARIABLE
from tilewright.sim_tests.harness_tests.designs import build_buffer


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """These runs fail on purpose and build toys: neither their recordings nor their numbers belong to the session's."""
    monkeypatch.setenv("TILEWRIGHT_FAILURES", str(tmp_path / "failures"))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "ledger"))


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, but for the run-time library, which is linked from the real one."""
    build_buffer()
    real, own = cache_folder(), tmp_path / "cache"
    for file in (real / "runtime").rglob("*"):
        if file.is_file():
            copy = own / file.relative_to(real)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(file)
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(own))
    return own


@pytest.fixture
def no_compiler(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that is filled without a compiler, with builds that cannot run."""

    def pretend(work: Path, spec: BuildSpec, step: Progress, children: object) -> None:
        for name in ("verilator", "C++", "link"):
            step(name)
            time.sleep(0.2)  # others come meanwhile, and a screen shows it
        seconds = dict.fromkeys(("verilator", "C++", "link"), 0.2)
        (work / "build.json").write_text(json.dumps({"seconds": seconds}))

    monkeypatch.setattr(importlib.import_module("tilewright.sim_tests.harness.build"), "_make", pretend)
    return own_cache
