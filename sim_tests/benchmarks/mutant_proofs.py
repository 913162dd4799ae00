"""Why a fault that no test finds is none: nothing depends on it, or its module behaves as before."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilewright.generators.emit.yosys import run as yosys
from tilewright.sim_tests.benchmarks.mutants import Mutant, Planted

FROM_ANY_STATE = 4
FROM_RESET = 16
"""Cycles in which a module must behave as before."""


def unobservable(planted: Planted, mutants: Sequence[Mutant]) -> set[int]:
    """Numbers of those faults from which no path of gates and registers leads to an output of the core.

    Each is given a switch of its own at the top of the design, which is then taken to gates and cleaned: where the
    switch drives nothing any more, its fault touches nothing that an output depends on. Elements stay whole; each
    of their outputs counts as one of the core.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as name:
        folder = Path(name)
        (folder / "base.il").write_text(planted.netlist)
        netlist = yosys([f"read_rtlil {folder}/base.il", f"hierarchy -top {planted.top}"])
        yosys([f"{m.command} -ctrl switch_{m.number} 1 1" for m in mutants], netlist)
        # Gates bit by bit, so that a bit of a word may be of no use; each pass may make the next one find more.
        element = f"{planted.top}_pe_*"
        whole = [f"setattr -mod -set keep_hierarchy 1 {element}", "flatten", "techmap", "simplemap"]
        yosys([*whole, *["opt", "opt_clean -purge"] * 3], netlist)
        found = set()
        for mutant in mutants:
            switch = f"*/i:switch_{mutant.number}"
            loads = f"{switch} %co1 {switch} %d */t:{element} %d"
            yosys([f"tee -q -o {folder}/loads select -list {loads}"], netlist)
            if not (folder / "loads").read_text().strip():
                found.add(mutant.number)
        return found


def same_behaviour(planted: Planted, mutant: Mutant) -> str:
    """How it is proved that the fault's module, with all below it, behaves as it did; "" where it is not.

    By SAT, for all inputs: from any state, the same in both, `FROM_ANY_STATE` cycles long; a cursor is then not reset,
    because it is started after a reset and before its first request. Controls, which count no further than the rows
    of the array, may also be proved from reset on, `FROM_RESET` cycles long.
    """
    module = mutant.fields["module"].removeprefix("\\")
    cursor, controls = (module.startswith(f"{planted.top}_{kind}") for kind in ("cursor_", "controls"))
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as name:
        folder = Path(name)
        netlist, registers = _miter(planted, mutant, module, folder)
        equal = " ".join(f"-set-at 1 gold.{register} gate.{register}" for register in registers)
        held = "-set in_rst 0" if cursor else ""
        if _proved(netlist, folder, f"{equal} {held} -seq {FROM_ANY_STATE}"):
            return f"SAT, from any state, {FROM_ANY_STATE} cycles"
        reset = " ".join(f"-set-at {step} in_rst {int(step == 1)}" for step in range(1, FROM_RESET + 1))
        if controls and _proved(netlist, folder, f"-set-init-zero {reset} -prove-skip 2 -seq {FROM_RESET}"):
            return f"SAT, from reset, {FROM_RESET} cycles"
    return ""


def _miter(planted: Planted, mutant: Mutant, module: str, folder: Path) -> tuple[Any, list[str]]:
    """A netlist ``miter`` that compares ``module`` without ("gold") and with the fault ("gate"); gold's registers."""
    (folder / "base.il").write_text(planted.netlist)
    netlist = yosys([f"read_rtlil {folder}/base.il", f"hierarchy -top {module}", "design -save base"])
    listed = f"tee -q -o {folder}/registers select -list t:$dff %co1:+[Q] w:* %i"
    for copy, fault in (("gate", [mutant.command]), ("gold", [])):
        steps = ["design -load base", *fault, "flatten", f"rename {module} {copy}", listed, f"design -stash {copy}"]
        yosys(steps, netlist)
    yosys(["design -reset", "design -copy-from gold gold", "design -copy-from gate gate"], netlist)
    yosys(["miter -equiv -make_outputs gold gate miter", "hierarchy -top miter", "flatten"], netlist)
    registers = (folder / "registers").read_text().split()
    return netlist, [register.partition("/")[2] for register in registers]


def _proved(netlist: Any, folder: Path, assumptions: str) -> bool:
    yosys([f"tee -q -o {folder}/proof sat {assumptions} -prove trigger 0 miter"], netlist)
    return "no model found: SUCCESS" in (folder / "proof").read_text()
