"""Why a fault that no test finds is none: nothing depends on it, or its module behaves as before."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tilewright.generators.emit.yosys import YosysFailed
from tilewright.generators.emit.yosys import run as yosys
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.paths import held_a, held_b, possible, streamed_a, streamed_b
from tilewright.sim_tests.benchmarks.mutants import Mutant, Planted

STARTED, CONTROLS = ("cursor_", "nest_"), ("controls",)
PIPELINES = ("pe_", "skew_", "deskew_", "taps_")
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

    By SAT, for all inputs of legal commands: outputs and next state are the same in every state, so that the module
    is the same for ever; or, where only registers differ that may be of no use, from any state, the same in both,
    outputs are the same `FROM_ANY_STATE` cycles long (not of pipelines, which may be longer). Cursors and nests are
    then not reset, because they are started after a reset and before their first step. Controls, which count no
    further than the rows of the array, may also be proved from reset on, `FROM_RESET` cycles long.
    """
    module = mutant.fields["module"].removeprefix("\\")
    started, controls = (module.startswith(tuple(f"{planted.top}_{k}" for k in kinds)) for kinds in (STARTED, CONTROLS))
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as name:
        folder = Path(name)
        with suppress(YosysFailed):  # a fault right at a register makes another one of it: none to compare
            netlist, _ = _miter(planted, mutant, module, folder, "expose -evert-dff", "opt_clean")
            if _proved(netlist, folder, ""):
                return "SAT, outputs and next state"
        if module.startswith(tuple(f"{planted.top}_{kind}" for kind in PIPELINES)):
            return ""  # what enters may leave later than that
        netlist, registers = _miter(planted, mutant, module, folder)
        equal = " ".join(f"-set-at 1 gold.{register} gate.{register}" for register in registers)
        held = "-set in_rst 0" if started else ""
        if _proved(netlist, folder, f"{equal} {held} -seq {FROM_ANY_STATE}"):
            return f"SAT, from any state, {FROM_ANY_STATE} cycles"
        reset = " ".join(f"-set-at {step} in_rst {int(step == 1)}" for step in range(1, FROM_RESET + 1))
        if controls and _proved(netlist, folder, f"-set-init-zero {reset} -prove-skip 2 -seq {FROM_RESET}"):
            return f"SAT, from reset, {FROM_RESET} cycles"
    return ""


def _miter(planted: Planted, mutant: Mutant, module: str, folder: Path, *last: str) -> tuple[Any, list[str]]:
    """A netlist ``miter`` that compares ``module`` without ("gold") and with the fault ("gate"); gold's registers.

    ``last``: what is done to both before they are compared.
    """
    (folder / "base.il").write_text(planted.netlist)
    netlist = yosys([f"read_rtlil {folder}/base.il", f"hierarchy -top {module}", "design -save base"])
    listed = f"tee -q -o {folder}/registers select -list t:$dff %co1:+[Q] w:* %i"
    for copy, fault in (("gate", [mutant.command]), ("gold", [])):
        steps = ["design -load base", *fault, "flatten", f"rename {module} {copy}", listed, *last]
        yosys([*steps, f"design -stash {copy}"], netlist)
    yosys(["design -reset", "design -copy-from gold gold", "design -copy-from gate gate"], netlist)
    yosys(["miter -equiv -make_outputs gold gate miter", "hierarchy -top miter", "flatten"], netlist)
    yosys([f"write_rtlil {folder}/miter.il", "design -reset"], netlist)
    (folder / "legal.il").write_text(legal_only((folder / "miter.il").read_text(), planted, module))
    yosys([f"read_rtlil {folder}/legal.il"], netlist)
    registers = (folder / "registers").read_text().split()
    return netlist, [register.partition("/")[2] for register in registers]


_INPUT = re.compile(r"^  wire width (\d+) (?:input \d+ )?(\\(?:in_|gold\.)\S+)$", re.M)


def _followed(planted: Planted, module: str) -> set[int]:
    """The dataflows of commands that ``module`` has to do with: those with paths of its own, of a cursor, else all."""
    p = planted.design.parameters
    kind = module.removeprefix(f"{planted.top}_cursor_")
    paths = {"stream_a": streamed_a, "stream_b": streamed_b, "hold_a": held_a, "hold_b": held_b}
    return {int(d) for d in (possible(p, paths[kind](p)) if kind in paths else p.dataflows)}


def legal_only(rtlil: str, planted: Planted, module: str) -> str:
    """``rtlil`` of a miter with assumptions: commands are those that the decoder lets through.

    A dataflow is one of the core's, and of those that a cursor follows; an extent is no larger than the scratchpads
    allow.
    """
    p = planted.design.parameters
    cells: list[str] = []

    def assume(kind: str, signal: str, limit: str) -> None:
        name = f"legal_{len(cells)}"
        sizes = {"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": len(limit), "B_WIDTH": len(limit), "Y_WIDTH": 1}
        cells.append(
            f"  wire \\{name}\n  cell {kind} ${name}\n"
            + "".join(f"    parameter \\{key} {value}\n" for key, value in sizes.items())
            + f"    connect \\A {signal}\n    connect \\B {len(limit)}'{limit}\n    connect \\Y \\{name}\n  end\n"
            f"  cell $assume $assume_{name}\n    connect \\A \\{name}\n    connect \\EN 1'1\n  end\n"
        )

    for width, wire in _INPUT.findall(rtlil):
        if wire == "\\in_command" and int(width) == DECODED.size:
            for name, largest in p.largest.items():
                field = DECODED[name]
                assume("$le", f"{wire} [{field.offset + field.width - 1}:{field.offset}]", f"{largest:0{field.width}b}")
            field = DECODED["dataflow"]
            assume("$ne", f"{wire} [{field.offset + 1}:{field.offset}]", "11")
        elif int(width) == 2 and "dataflow" in wire:
            for dataflow in set(range(4)) - _followed(planted, module):
                assume("$ne", wire, f"{dataflow:02b}")
    head, end, tail = rtlil.rpartition("\nend\n")
    return f"{head}\n{''.join(cells).rstrip()}{end}{tail}"


def _proved(netlist: Any, folder: Path, assumptions: str) -> bool:
    yosys([f"tee -q -o {folder}/proof sat -set-assumes {assumptions} -prove trigger 0 miter"], netlist)
    return "no model found: SUCCESS" in (folder / "proof").read_text()
