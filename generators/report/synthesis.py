"""Synthesis of modules for a device by Yosys, in processes of their own, remembered by content."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.config.input_file import LARGEST_TEXT, read_bytes
from tilewright.generators.emit.yosys import Yosys
from tilewright.generators.scratch import scratch_folder
from tilewright.generators.whole_file import write_whole

FLOWS = {"ecp5": "synth_ecp5", "ecp5 without wide LUTs": "synth_ecp5 -nowidelut"}
"""Device families and the Yosys command that maps to each."""

AREA = "area"
"""Folder in the cache where results are remembered."""

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


def synthesise(jobs: Sequence[Job], tell: Callable[[str], None] = lambda top: None) -> list[Mapped]:
    """Maps all ``jobs``, as many at a time as there are processors; ``tell`` hears the top of each that is done.

    Raises YosysFailed for the first that cannot be mapped. An interrupt stops all.
    """
    remembered = [_recall(job) for job in jobs]
    missing = {job.key(): job for job, known in zip(jobs, remembered, strict=True) if known is None}
    made: dict[str, Mapped] = {}
    with scratch_folder("area") as folder, ExitStack() as stack:
        at_work: dict[str, Yosys] = {}
        for key in missing:
            (folder / key).mkdir()
            at_work[key] = stack.enter_context(Yosys(folder / key))
        pool = stack.enter_context(ThreadPoolExecutor(max(1, min(len(missing), os.cpu_count() or 1))))
        try:
            waiting = {pool.submit(_map, missing[key], yosys, folder / key): key for key, yosys in at_work.items()}
            for done in as_completed(waiting):
                key = waiting[done]
                made[key] = done.result()
                _remember(key, made[key])
                tell(missing[key].top)
        except BaseException:
            for yosys in at_work.values():  # else the pool would wait for what nobody needs
                yosys.stop()
            raise
    return [known or made[job.key()] for job, known in zip(jobs, remembered, strict=True)]


def map_module(job: Job) -> Mapped:
    """Maps one module here and now. Raises YosysFailed where it cannot be mapped."""
    with scratch_folder("area") as folder, Yosys(folder) as yosys:
        return _map(job, yosys, folder)


def _map(job: Job, yosys: Yosys, folder: Path) -> Mapped:
    """Maps a module; ``folder`` is that of ``yosys``."""
    (folder / "design.v").write_text("\n".join(job.reachable().values()), encoding="utf-8")
    yosys.run(("read_verilog design.v", f"{FLOWS[job.device]} -top {job.top}", "tee -o stat.json stat -json"))
    return Mapped(counted_cells(folder / "stat.json"), round(yosys.seconds, 1), False)


def counted_cells(file: Path) -> dict[str, int]:
    """Cells by type, out of what ``stat -json`` has told of a mapped design."""
    text = file.read_text(encoding="utf-8")
    # Native Yosys puts its name before the document.
    counted: dict[str, int] = json.loads(text[text.index("{") :])["design"]["num_cells_by_type"]
    return {kind: number for kind, number in counted.items() if not kind.startswith("$")}  # $scopeinfo is no cell


def _recall(job: Job) -> Mapped | None:
    try:
        known = json.loads(read_bytes(cache_folder() / AREA / f"{job.key()}.json", LARGEST_TEXT))
        cells = {str(kind): int(number) for kind, number in known["cells"].items()}
        return Mapped(cells, float(known["seconds"]), True)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _remember(key: str, mapped: Mapped) -> None:
    """A cache that cannot be written is none."""
    folder = cache_folder() / AREA
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{key}.json", json.dumps({"cells": mapped.cells, "seconds": mapped.seconds}))
    except OSError:
        return
