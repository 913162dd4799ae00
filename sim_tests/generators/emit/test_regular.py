"""Structures that are written as loops do what their Amaranth elaboration does, for all inputs of eight cycles."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROVE = """
import sys, tempfile
from pathlib import Path
from amaranth.back import rtlil
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.yosys import run
from tilewright.hdl.memory import Geometry, Ram
from tilewright.hdl.memory.banked import BankAddress
from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.memory.request import request_members
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.pe import Operands, OutputElement, StationaryElement
from tilewright.hdl.structure import Repeat, Skew
from tilewright.hdl.systolic.product import Product

CYCLES = 8
operands = Operands(IntFormat(2), IntFormat(2), 1, 1, 6, "wrap")

def row(element, count):
    chain = {"x_in": "x_out"} | {f"{c}_in": f"{c}_out" for c in element.row_controls}
    return Repeat(f"row_{count}", element, count, label="pe", chain=chain, drop=tuple(chain.values()))

def column(element, count):
    shared = (*element.column_controls, "x_in", *(f"{c}_in" for c in element.row_controls))
    lanes = {"y_in": "y_out", "sum_in": "sum_out"}
    return Repeat(f"column_{count}", element, count, label="pe", chain=lanes, shared=shared, drop=("y_out",))

def addresses():
    geometry = Geometry(16, 4, True, 2)
    return Repeat("all", BankAddress(geometry), 4, label="bank", chain={}, shared=tuple(request_members(geometry)))

block = eval(sys.argv[1])
emitter = Emitter("gate")
top = emitter.emit(block).module
text = "".join(module.text for module in emitter.modules()).replace(sys.argv[2], sys.argv[3])
with tempfile.TemporaryDirectory() as folder:
    gold, gate = Path(folder) / "gold.il", Path(folder) / "gate.v"
    gold.write_text(rtlil.convert(block, name="gold", emit_src=False))
    gate.write_text(text)
    miter = "miter -equiv -flatten -make_outputs gold gate miter"
    proof = f"sat -verify -set-init-zero -seq {CYCLES} -prove trigger 0 miter"
    spare = [f"delete -port gold/{port}" for port in ("clk", "rst") if not emitter.emit(block).has(port)]
    both = [f"read_rtlil {gold}", *spare, f"read_verilog {gate}", f"rename {top} gate"]
    flat = ["proc", "flatten gold gate", "memory_map", "opt_clean", miter, "setattr -unset init w:*"]
    run([*both, *flat, "opt -nodffe -nosdff miter", proof])
print("proven")
"""
BLOCKS = [
    "Skew(3, 2)",
    "Skew(3, 2, reverse=True)",
    "Skew(4, 1, reset=True)",
    "Skew(1, 3)",
    "Ram(4, 2)",
    "Ram(4, 2, lanes=2)",
    "Ram(3, 1)",
    "RegisterFile(4, 2)",
    "Product(3, 5)",
    "Product(4, 4)",
    "row(StationaryElement(operands), 2)",
    "row(OutputElement(operands), 3)",
    "column(StationaryElement(operands), 2)",
    "row(OutputElement(operands), 1)",
    "addresses()",
]


def prove(block: str, old: str = "\n", new: str = "\n") -> subprocess.CompletedProcess[str]:
    # In a process of its own: Yosys ends the process it runs in when a proof fails.
    command = [sys.executable, "-c", PROVE, block, old, new]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("block", BLOCKS)
def test_loops_equal_their_elaboration(block: str) -> None:
    done = prove(block)
    assert done.returncode == 0 and done.stdout == "proven\n", done.stderr[-2000:]


@pytest.mark.parametrize(
    ("block", "old", "new"),
    [
        ("Skew(3, 2)", "DEPTH = i;", "DEPTH = 2 - i;"),
        ("Ram(4, 2, lanes=2)", "write_enable[i]", "write_enable[0]"),
        ("Product(3, 5)", "<< 4*i", "<< 3*i"),
        ("row(StationaryElement(operands), 2)", "pe[i-1].from_x_out", "x_in"),
    ],
)
def test_a_wrong_loop_is_found(block: str, old: str, new: str) -> None:
    done = prove(block, old, new)
    assert done.returncode == 1 and not done.stdout and "Traceback" not in done.stderr, done.stderr[-500:]
