"""Writes what documents show of the code anew: ``python -m tilewright.sim_tests.docs.write``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tilewright.fpga.boards.known import BOARDS
from tilewright.sim_tests.docs.array_timing import array_ports, array_timing
from tilewright.sim_tests.docs.board_pages import board_page
from tilewright.sim_tests.docs.boards import board_table
from tilewright.sim_tests.docs.commands import api, commands
from tilewright.sim_tests.docs.core_tables import beat_lanes, memories, records, statuses, streams
from tilewright.sim_tests.docs.cores import engine_waves
from tilewright.sim_tests.docs.drawings import DRAWINGS
from tilewright.sim_tests.docs.engine_tables import (
    engine_causes,
    engine_counters,
    engine_instructions,
    engine_listing,
    engine_opcodes,
    engine_parameters,
    engine_preset_table,
    engine_registers,
)
from tilewright.sim_tests.docs.functions import function_table, special_results
from tilewright.sim_tests.docs.numbers import float_formats, windows
from tilewright.sim_tests.docs.pages import ROOT, documents, rendered
from tilewright.sim_tests.docs.parameters import parameters, preset_table, safe_lengths

PARTS: Mapping[str, Callable[[], str]] = {
    "api": api,
    "beat-lanes": beat_lanes,
    "boards": board_table,
    **{f"board-{name}": partial(board_page, name) for name in BOARDS},
    "commands": commands,
    **{f"array-{d}": partial(array_timing, d) for d in ("ws", "os")},
    **{f"array-ports-{d}": partial(array_ports, d) for d in ("ws", "os")},
    "engine-causes": engine_causes,
    "engine-counters": engine_counters,
    "engine-instructions": engine_instructions,
    "engine-listing": engine_listing,
    "engine-opcodes": engine_opcodes,
    "engine-parameters": engine_parameters,
    "engine-presets": engine_preset_table,
    "engine-registers": engine_registers,
    "engine-waves": engine_waves,
    "float-formats": float_formats,
    "functions": function_table,
    "function-specials": special_results,
    "memories": memories,
    "parameters": parameters,
    "presets": preset_table,
    "records": records,
    "safe-k": safe_lengths,
    "statuses": statuses,
    "streams": streams,
    "windows": windows,
}


def fresh_texts(root: Path = ROOT) -> dict[Path, str]:
    """Every document as it should be."""
    return {path: rendered(path.read_text(encoding="utf-8"), PARTS) for path in documents(root)}


def fresh_drawings(root: Path = ROOT) -> dict[Path, str]:
    """Every drawing as it should be; those of runs are simulated."""
    return {root / "docs" / "images" / name: draw() for name, draw in DRAWINGS.items()}


def main() -> None:
    """Writes what is not as it should be."""
    for path, text in (fresh_texts() | fresh_drawings()).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} written")


if __name__ == "__main__":
    main()
