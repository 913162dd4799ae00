"""Synthesis of modules for a device by Yosys, in processes of their own, remembered by content."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

FLOWS = {"ecp5": "synth_ecp5"}
"""Device families and the Yosys command that maps to each."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Job:
    """A module ``top`` of ``sources`` (module name to Verilog) to map to ``device``."""

    top: str
    sources: Mapping[str, str]
    device: str

    def reachable(self) -> dict[str, str]:
        """The modules below ``top``, itself included: nothing else decides the result."""
        found, waiting = dict[str, str](), [self.top]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self.sources[name]
                waiting += set(_WORD.findall(found[name])) & self.sources.keys()
        return dict(sorted(found.items()))

    def key(self) -> str:
        """Hash of all that decides the result."""
        parts = (self.top, self.reachable(), FLOWS[self.device], version("pyosys"))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Mapped:
    """Cells of a mapped module by type, the processor seconds that mapping took, and whether it was remembered."""

    cells: Mapping[str, int]
    seconds: float
    remembered: bool


def cache_folder() -> Path:
    """``$TILEWRIGHT_CACHE``, else ``tilewright`` in the user's cache folder; with ``area`` below it."""
    named = os.environ.get("TILEWRIGHT_CACHE")
    root = Path(named).expanduser() if named else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "tilewright"
    return root.expanduser() / "area"


def synthesise(jobs: Sequence[Job], tell: Callable[[str], None] = lambda top: None) -> list[Mapped]:
    """Maps all ``jobs``, as many at a time as there are processors; ``tell`` hears the top of each that is done.

    Yosys holds the interpreter while it works: in a process of its own it can be watched, and killed by an interrupt.
    """
    remembered = [_recall(job) for job in jobs]
    missing = [job for job, known in zip(jobs, remembered, strict=True) if known is None]
    made: dict[str, Mapped] = {}
    if missing:
        context = multiprocessing.get_context("spawn")
        workers = min(len(missing), os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, context, _ignore_interrupts) as pool:
            try:
                waiting = {pool.submit(map_module, job): job for job in missing}
                for done in as_completed(waiting):
                    job = waiting[done]
                    made[job.key()] = done.result()
                    _remember(job.key(), made[job.key()])
                    tell(job.top)
            except BaseException as error:
                for child in multiprocessing.active_children():  # else the pool would wait for what nobody needs
                    child.kill()
                if isinstance(error, BrokenProcessPool):
                    tops = ", ".join(job.top for job in missing if job.key() not in made)
                    raise RuntimeError(f"Yosys ended while it mapped {tops}") from None
                raise
    return [known or made[job.key()] for job, known in zip(jobs, remembered, strict=True)]


def map_module(job: Job) -> Mapped:
    """Maps one module here and now."""
    from tilewright.generators.emit.yosys import run

    start = time.process_time()
    with tempfile.TemporaryDirectory(prefix="tilewright-area-") as name:
        folder = Path(name)
        (folder / "design.v").write_text("\n".join(job.reachable().values()), encoding="utf-8")
        run(
            (
                f"read_verilog {folder}/design.v",
                f"{FLOWS[job.device]} -top {job.top}",
                f"tee -q -o {folder}/stat.json stat -json",
            )
        )
        # Native Yosys puts its name before the document.
        text = (folder / "stat.json").read_text()
    counted = json.loads(text[text.index("{") :])["design"]["num_cells_by_type"]
    cells = {kind: number for kind, number in counted.items() if not kind.startswith("$")}  # $scopeinfo is no cell
    return Mapped(cells, round(time.process_time() - start, 1), False)


def _ignore_interrupts() -> None:
    """An interrupt reaches every process of a terminal; the one that waits decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _recall(job: Job) -> Mapped | None:
    try:
        known = json.loads((cache_folder() / f"{job.key()}.json").read_text())
        return Mapped(known["cells"], known["seconds"], True)
    except (OSError, ValueError, LookupError):
        return None


def _remember(key: str, mapped: Mapped) -> None:
    """Writes aside and renames, so that nobody reads half a file. A cache that cannot be written is none."""
    folder = cache_folder()
    aside = folder / f".{key}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside.write_text(json.dumps({"cells": mapped.cells, "seconds": mapped.seconds}))
        aside.rename(folder / f"{key}.json")
    except OSError:
        return
