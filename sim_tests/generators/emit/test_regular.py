"""Structures written as loops, and cells, do what their Amaranth elaboration does, for all inputs of eight cycles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import rtlil

from tilewright.generators.emit.cells import models
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.yosys import YosysFailed, run
from tilewright.hdl.arith.targets.ecp5 import Ecp5Multiplier
from tilewright.hdl.arith.targets.ecp5_adder import Ecp5AdderPair
from tilewright.hdl.memory import Geometry, Ram
from tilewright.hdl.memory.banked import BankAddress
from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.memory.request import request_members
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.pe import Element, IntegerOperands, OutputElement, StationaryElement
from tilewright.hdl.structure import Block, Repeat, Skew
from tilewright.hdl.systolic.product import Product

CYCLES = 8
OPERANDS = IntegerOperands(IntFormat(2), IntFormat(2), 1, 1, 6, "wrap")


def row(element: Element, count: int) -> Block:
    chain = {"x_in": "x_out"} | {f"{c}_in": f"{c}_out" for c in element.row_controls}
    return Repeat(f"row_{count}", element, count, label="pe", chain=chain, drop=tuple(chain.values()))


def column(element: Element, count: int) -> Block:
    shared = (*element.column_controls, "x_in", *(f"{c}_in" for c in element.row_controls))
    lanes = {"y_in": "y_out", "sum_in": "sum_out"}
    return Repeat(f"column_{count}", element, count, label="pe", chain=lanes, shared=shared, drop=("y_out",))


def addresses() -> Block:
    geometry = Geometry(16, 4, True, 2)
    return Repeat("all", BankAddress(geometry), 4, label="bank", chain={}, shared=tuple(request_members(geometry)))


BLOCKS: dict[str, Callable[[], Any]] = {
    "skew": lambda: Skew(3, 2),
    "skew reversed": lambda: Skew(3, 2, reverse=True),
    "skew of one bit, reset": lambda: Skew(4, 1, reset=True),
    "skew of one lane": lambda: Skew(1, 3),
    "RAM": lambda: Ram(4, 2),
    "RAM of two lanes": lambda: Ram(4, 2, lanes=2),
    "RAM of odd depth": lambda: Ram(3, 1),
    "register file": lambda: RegisterFile(4, 2),
    "product": lambda: Product(3, 5),
    "square product": lambda: Product(4, 4),
    "row, stationary": lambda: row(StationaryElement(OPERANDS), 2),
    "row, output": lambda: row(OutputElement(OPERANDS), 3),
    "column": lambda: column(StationaryElement(OPERANDS), 2),
    "row of one": lambda: row(OutputElement(OPERANDS), 1),
    "addresses": addresses,
    "pair of adders of ECP5": Ecp5AdderPair,
    **{
        f"multiplier of ECP5, {r}": partial(Ecp5Multiplier, IntFormat(3), IntFormat(3, False), r, (r < 2, r < 1))
        for r in range(3)
    },
}


def prove(block: Block, folder: Path, old: str = "\n", new: str = "\n") -> None:
    """YosysFailed unless the Verilog of ``block``, with ``new`` in place of ``old``, does what Amaranth elaborates."""
    emitter = Emitter("gate")
    top = emitter.emit(block).module
    gold, gate = folder / "gold.il", folder / "gate.v"
    gold.write_text(rtlil.convert(block, name="gold", emit_src=False))
    modules = emitter.modules()
    gate.write_text("".join([*(module.text for module in modules), *models(modules).values()]).replace(old, new))
    miter = "miter -equiv -flatten -make_outputs gold gate miter"
    proof = f"sat -verify -set-init-zero -seq {CYCLES} -prove trigger 0 miter"
    spare = [f"delete -port gold/{port}" for port in ("clk", "rst") if not emitter.emit(block).has(port)]
    # Modules with parameters are made before there is a second top module.
    both = [f"read_verilog {gate}", f"hierarchy -check -top {top}", f"rename {top} gate", f"read_rtlil {gold}", *spare]
    flat = ["proc", "flatten gold gate", "memory_map", "opt_clean", miter, "setattr -unset init w:*"]
    run([*both, *flat, "opt -nodffe -nosdff miter", proof])


@pytest.mark.parametrize("name", BLOCKS)
def test_loops_equal_their_elaboration(name: str, tmp_path: Path) -> None:
    prove(BLOCKS[name](), tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("skew", "DEPTH = i;", "DEPTH = 2 - i;"),
        ("RAM of two lanes", "write_enable[i]", "write_enable[0]"),
        ("product", "<< 4*i", "<< 3*i"),
        ("row, stationary", "pe[i-1].from_x_out", "x_in"),
        ("pair of adders of ECP5", "16'h596a", "16'h596e"),
        ("multiplier of ECP5, 1", ".A3(a[2])", ".A3(1'b0)"),
        ("multiplier of ECP5, 0", ".CE1(enable_a)", ".CE1(enable_b)"),
    ],
)
def test_a_wrong_loop_is_found(name: str, old: str, new: str, tmp_path: Path) -> None:
    with pytest.raises(YosysFailed, match="proof did fail"):
        prove(BLOCKS[name](), tmp_path, old, new)
