"""The only place that runs Yosys."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pyosys import libyosys


def run(commands: Sequence[str]) -> None:
    """Runs Yosys commands one after the other in a fresh design. Raises RuntimeError when one fails."""
    design = libyosys.Design()
    for command in commands:
        libyosys.run_pass(command, design)


def rtlil_to_verilog(rtlil: str) -> str:
    """Readable Verilog for RTLIL text, every module in it, in order."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, target = Path(folder) / "design.il", Path(folder) / "design.v"
        source.write_text(rtlil)
        run(
            [
                f"read_rtlil {source}",
                "proc -norom",
                "opt_expr -keepdc",
                "opt_dff",
                "opt_clean -purge",
                f"write_verilog -noattr {os.fspath(target)}",
            ]
        )
        return target.read_text()
