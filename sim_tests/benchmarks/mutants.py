"""Faults planted into a core's netlist by Yosys, all in one simulator, one of them awake at a time."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.generators.emit.yosys import run as yosys
from tilewright.sim_tests.drivers.core_ports import core_streams
from tilewright.sim_tests.drivers.watch import watched
from tilewright.sim_tests.harness import Build, BuildSpec, make
from tilewright.sim_tests.system.designs import Design

#: Modules that faults go into, after the design's prefix: elements, skew, sequencers.
VICTIMS = ("pe_", "skew_", "deskew_", "taps_", "streamer", "loader", "nest", "cursor_", "controls", "c_walker")

_AWAKE = "TILEWRIGHT_MUTANT"
_SELECTOR, _WIDTH = "mutant", 8
_FIELD = re.compile(r"-(mode|module|cell|port|portbit|ctrlbit|wire|wirebit) (\S+)")
CHOICE = f"""module mutant_choice (output wire [{_WIDTH - 1}:0] chosen);
  reg [31:0] number;
  initial number = $c32("std::getenv(\\"{_AWAKE}\\") ? std::atoi(std::getenv(\\"{_AWAKE}\\")) : 0");
  assign chosen = number[{_WIDTH - 1}:0];
endmodule
"""
"""Tells which fault is awake: read from the environment once, when the simulation starts."""
CHOOSES = f"wire [{_WIDTH - 1}:0] {_SELECTOR}; (* keep *) mutant_choice choice (.chosen({_SELECTOR}));"
"""Lines of a module in which faults sleep."""
MOST = (1 << _WIDTH) - 1
"""Faults of a simulator."""


@dataclass(frozen=True)
class Mutant:
    """Fault ``number`` (1 and up): ``command`` plants it, without the selector."""

    number: int
    command: str

    @property
    def fields(self) -> Mapping[str, str]:
        """Mode, module, cell, port and bits."""
        return dict(_FIELD.findall(self.command))

    def __str__(self) -> str:
        f = self.fields
        wire = f" (wire {f['wire']}[{f.get('wirebit', '0')}])" if "wire" in f else ""
        by = f" by bit {f['ctrlbit']}" if "ctrlbit" in f else ""
        return f"{self.number}: {f['mode']} {f['module']} {f['cell']}.{f['port']}[{f['portbit']}]{by}{wire}".replace(
            "\\", ""
        )


@dataclass(frozen=True)
class Planted:
    """A core with faults.

    Attributes:
        design: the core.
        mutants: its faults.
        sources: Verilog in which all faults sleep until one is chosen.
        netlist: RTLIL of the core without faults, in whose names the faults are told.
    """

    design: Design
    mutants: Sequence[Mutant]
    sources: Mapping[str, str]
    netlist: str

    @property
    def top(self) -> str:
        """The core's top module."""
        return self.design.config.module_name


def plant(design: Design, count: int, seed: int, victims: Sequence[str] = VICTIMS) -> Planted:
    """Plants ``count`` random faults in the modules of ``design`` that start with one of ``victims``."""
    top = design.config.module_name
    sources = dict(design.sources)
    choice = f"  {CHOOSES}\nendmodule"
    head, end, tail = sources[f"{top}.v"].rpartition("endmodule")
    assert end and not tail.strip(), f"{top}.v must end with its module"
    sources[f"{top}.v"] = head + choice + tail
    box = f"(* blackbox *) module mutant_choice (output wire [{_WIDTH - 1}:0] chosen);\nendmodule\n"
    modules = " ".join(f"{top}_{kind}*" for kind in victims)
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as name:
        folder = Path(name)
        (folder / "design.v").write_text("\n".join([*sources.values(), box]))
        # Names from the nets that cells drive: numbers would depend on all that Yosys did before.
        start = [f"read_verilog {folder}/design.v", f"hierarchy -check -top {top}", "proc", "opt_clean", "autoname"]
        netlist = yosys([*start, f"write_rtlil {folder}/base.il"])
        yosys([f"mutate -list {count} -seed {seed} -o {folder}/list {modules}"], netlist)
        lines = (folder / "list").read_text().splitlines()
        mutants = [Mutant(number, line.split(" -src")[0]) for number, line in enumerate(lines, 1)]
        yosys([f"{m.command} -ctrl {_SELECTOR} {_WIDTH} {m.number}" for m in mutants], netlist)
        yosys([f"write_verilog -noattr {folder}/mutated.v"], netlist)
        mutated = {"mutated.v": (folder / "mutated.v").read_text(), "choice.v": CHOICE}
        return Planted(design, mutants, mutated, (folder / "base.il").read_text())


def build_planted(planted: Planted) -> Build:
    """A simulator of the core with its faults asleep."""
    streams = core_streams(planted.design.parameters)
    return make(BuildSpec(*watched(planted.sources, planted.top, streams)))


@contextmanager
def awake(number: int) -> Iterator[None]:
    """While this lasts, that fault is awake in all simulations that start, 0: none; failures are not kept."""
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as failures:
        kept = {name: os.environ.get(name) for name in (_AWAKE, "TILEWRIGHT_FAILURES")}
        os.environ |= {_AWAKE: str(number), "TILEWRIGHT_FAILURES": failures}
        try:
            yield
        finally:
            for name, value in kept.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def killed_by(mutant: Mutant | None, tests: Sequence[tuple[str, Any]]) -> str:
    """The name of the first of ``tests``, (name, function), that fails while ``mutant`` is awake; "" if none does."""
    with awake(mutant.number if mutant else 0):
        for name, test in tests:
            try:
                test()
            except Exception as error:  # a fault may garble what a test reads in any way
                return f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    return ""
