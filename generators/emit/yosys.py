"""The only place that runs Yosys."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pyosys import libyosys


def run(commands: Sequence[str], design: libyosys.Design | None = None) -> libyosys.Design:
    """Runs Yosys commands, silently, in ``design`` or a fresh one. Raises RuntimeError when one fails."""
    design = design or libyosys.Design()
    for command in commands:
        libyosys.Pass.call(design, f"tee -q {command}")
    return design


CLEANING = (
    "proc -norom",
    "opt_expr -keepdc",
    "opt_muxtree",
    "opt_merge",
    "opt_expr -keepdc",
    "opt_clean",  # aliases of a register would keep its initial value where a part of it turns out constant
    "opt_dff -nodffe -nosdff",  # registers that never change; enables and resets stay multiplexers
    "setattr -unset init w:*",  # reset says where registers start
    "opt_clean -purge",
)
"""From processes to operators and registers, without what is constant, double or unused."""


def cleaned(rtlil: str) -> str:
    """RTLIL text ``rtlil`` as operators, registers and instances."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, target = Path(folder) / "source.il", Path(folder) / "target.il"
        source.write_text(rtlil)
        run([f"read_rtlil {source}", *CLEANING, f"write_rtlil {target}"])
        return target.read_text()
