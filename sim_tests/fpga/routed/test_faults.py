"""Faults of cells of the ECP5."""

from __future__ import annotations

import re
from dataclasses import replace

from tilewright.fpga.routed.faults import CONNECTION, KINDS, TABLE, CellFault, Faults, outputs, selectable_netlist
from tilewright.fpga.routed.netlist import Cell, Netlist

_TABLE = Cell("table", 0, "TRELLIS_COMB", {"INITVAL": "1000" * 4}, {"A": "n1", "B": "n2", "F": "n3"})
_CARRY = Cell(
    "carry", 1, "TRELLIS_COMB", {"MODE": "CCU2", "INITVAL": "0110011010101010"}, {"A": "n3", "FCI": "n4", "F": "n5"}
)
_REGISTER = Cell("register", 2, "TRELLIS_FF", {"REGSET": "RESET", "SD": "1"}, {"DI": "n5", "CLK": "n2", "Q": "n4"})
_PRODUCT = Cell("product", 3, "MULT18X18D", {}, {"A0": "n3", "B0": "n4", "P0": "n6"})
_CELLS = (_TABLE, _CARRY, _REGISTER, _PRODUCT)
_NETLIST = Netlist({}, _CELLS, frozenset(f"n{number}" for number in range(1, 7)))


def drawn(seed: int) -> list[CellFault]:
    faults = Faults(_NETLIST, seed)
    return [fault for kind in KINDS for _ in range(20) if (fault := faults.checked(faults.draw(kind)))]


def test_the_same_seed_draws_the_same_faults() -> None:
    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert {fault.kind for fault in drawn(1)} == set(KINDS)


def test_what_does_the_same_is_no_fault() -> None:
    faults = Faults(_NETLIST, 1)
    assert faults.checked(CellFault(TABLE, "", _TABLE)) is None
    beyond = replace(_TABLE, parameters={"INITVAL": "0" + ("1000" * 4)[1:]})
    assert faults.checked(CellFault(TABLE, "", beyond)) is not None, "open inputs are 1"
    below = replace(_TABLE, parameters={"INITVAL": "1000" * 3 + "1001"})
    assert faults.checked(CellFault(TABLE, "", below)) is None, "an entry that open inputs never choose"
    assert faults.checked(CellFault(CONNECTION, "", replace(_TABLE, nets={"A": "n1", "F": "n3"}))) is not None


def test_faults_sleep_until_they_are_chosen() -> None:
    faults = dict(enumerate(drawn(1), 1))
    text = selectable_netlist(_NETLIST, faults, "top", "wire [7:0] mutant;")
    for number, fault in faults.items():
        assert len(re.findall(rf"mutant == {number} \?", text)) == len(outputs(fault.cell))
    told = re.findall(r"wire (?:\[\d+:0\] )?(\w+)(?: =|;)", text)
    assert len(told) == len(set(told)), "names are different"
