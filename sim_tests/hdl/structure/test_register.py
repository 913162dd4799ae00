from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, data_register, pipeline
from tilewright.sim_tests.hdl.structure.blocks import simulate


class Registers(Block):
    """An enabled register, and a pipeline of ``cycles``."""

    def __init__(self, cycles: int) -> None:
        self.cycles = cycles
        super().__init__("registers", {"d": In(4), "enable": In(1), "held": Out(4), "late": Out(4)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.d.comb += self.held.eq(data_register(m, self.d, "held_q", enable=self.enable))
        m.d.comb += self.late.eq(pipeline(m, self.d, self.cycles, "late"))
        return m


@pytest.mark.parametrize("cycles", [0, 1, 3])
def test_enable_holds_and_a_pipeline_delays(cycles: int) -> None:
    words, enables = [3, 9, 4, 7, 1, 2, 8, 15], [1, 0, 0, 1, 1, 0, 1, 1]
    got = simulate(Registers(cycles), {"d": words, "enable": enables})
    assert got["held"][1:] == [3, 3, 3, 7, 1, 1, 8]
    assert got["late"][cycles:] == words[: len(words) - cycles]
