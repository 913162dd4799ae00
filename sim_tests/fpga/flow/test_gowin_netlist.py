"""Flip-flops get look-up tables of their own, and places are counted before nextpnr looks for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tilewright.fpga.boards.known import board
from tilewright.fpga.flow import gowin
from tilewright.fpga.flow.board_build import build
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.gowin_netlist import pair_flip_flops, places
from tilewright.sim_tests.fpga.flow.tiny import tiny


def cell(kind: str, out: str, **pins: int) -> dict[str, Any]:
    return {
        "type": kind,
        "port_directions": {pin: "output" if pin == out else "input" for pin in pins},
        "connections": {pin: [net] for pin, net in pins.items()},
    }


def test_a_flip_flop_without_a_table_gets_one() -> None:
    cells = {
        "table": cell("LUT2", "F", I0=2, I1=3, F=4),
        "first": cell("DFF", "Q", CLK=1, D=4, Q=5),
        "second": cell("DFFE", "Q", CLK=1, CE=2, D=4, Q=6),
        "third": cell("DFF", "Q", CLK=1, D=6, Q=7),
        "memory": cell("RAM16SDP4", "DO", WRE=7, DO=8),
    }
    module = {"cells": cells, "netnames": {}}
    pair_flip_flops(module)
    data = {name: cells[name]["connections"]["D"][0] for name in ("first", "second", "third")}
    assert data["first"] == 4
    for name, was in (("second", 4), ("third", 6)):
        before = module["cells"][f"{name}_before"]
        assert before["type"] == "LUT1" and before["parameters"] == {"INIT": "10"}
        assert before["connections"] == {"I0": [was], "F": [data[name]]}
    assert len({*data.values(), *range(9)}) == 11
    assert places(module) == 3 + 8


def test_a_design_for_which_there_are_not_enough_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(gowin._MOST_PLACES, "GW1N-9C", 10)
    with pytest.raises(
        BuildFailed, match=r"^the design does not fit: it takes \d+ places of look-up tables, \d+ more than the 10 that"
    ):
        build(replace(board("tang-nano-9k"), clock_hz=26_000_000), tiny())  # of the own clock it is remembered
