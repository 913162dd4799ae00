"""Why a fault that no test finds is none: nothing depends on it, or its module behaves as before."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tilewright.generators.emit.yosys import run as yosys
from tilewright.sim_tests.benchmarks.mutants import Mutant, Planted

#: Cycles after reset in which a module must behave as before.
STEPS = 8


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


def same_behaviour(planted: Planted, mutant: Mutant, steps: int = STEPS) -> bool:
    """Whether no input makes the fault's module, with all below it, differ from what it was in ``steps`` cycles.

    A bounded proof by SAT, from reset on. A cursor is started in the first cycle after reset, and looked at from its
    first request on: its parents give it no step, and pass on no request, before.
    """
    module = mutant.fields["module"].removeprefix("\\")
    cursor = module.startswith(f"{planted.top}_cursor_")
    levels = [f"-set-at {step} in_rst {int(step == 1)}" for step in range(1, steps + 1)]
    reset = " ".join(levels) if _has_reset(planted.netlist, module) else ""
    begin = "-set-at 2 in_start 1 -prove-skip 4" if cursor else "-prove-skip 2"
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as name:
        folder = Path(name)
        (folder / "base.il").write_text(planted.netlist)
        netlist = yosys([f"read_rtlil {folder}/base.il", f"hierarchy -top {module}", "design -save base"])
        for copy, fault in (("gold", []), ("gate", [mutant.command])):
            yosys(["design -load base", *fault, "flatten", f"rename {module} {copy}", f"design -stash {copy}"], netlist)
        yosys(["design -reset", "design -copy-from gold gold", "design -copy-from gate gate"], netlist)
        yosys(["miter -equiv -make_outputs gold gate miter", "hierarchy -top miter", "flatten", "opt -full"], netlist)
        prove = f"sat -set-init-zero {reset} {begin} -prove trigger 0 -seq {steps} miter"
        yosys([f"tee -q -o {folder}/proof {prove}"], netlist)
        return "no model found: SUCCESS" in (folder / "proof").read_text()


def _has_reset(netlist: str, module: str) -> bool:
    """Whether ``module`` has any register that is reset."""
    body = netlist.split(f"module \\{module}\n", 1)[1].split("\nend\n", 1)[0]
    return re.search(r" input \d+ \\rst$", body, re.M) is not None
