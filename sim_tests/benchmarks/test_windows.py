"""The processing element whose area is measured computes what the model says."""

from __future__ import annotations

import numpy as np
import pytest
from amaranth.hdl import ClockDomain, Fragment, Module
from amaranth.sim import Simulator

from tilewright.hdl.numeric import WindowSum, accumulate_step, empty_sum, place_products
from tilewright.sim_tests.benchmarks.scripts import script


@pytest.mark.parametrize("pipeline", [0, 2])
def test_a_sum_passes_the_element_and_takes_its_product_along(pipeline: int) -> None:
    element, rng, count = script("windows").WindowElement("fp8_e4m3", 32, pipeline), np.random.default_rng(3), 40
    fmt, window, point = element.format, element.window, 6
    held, x = 0x3B, np.append(rng.integers(0, 256, count - 1), fmt.nan_bits)
    before = [int(start) for start in rng.integers(-(1 << 30), 1 << 30, count)]
    start = empty_sum((count,))
    start = WindowSum(np.array(before), start.overflow, start.underflow, start.invalid)
    want = accumulate_step(start, [place_products(x, np.full(count, held), (fmt, fmt), window, point)], window)

    m = Module()
    m.domains.sync = ClockDomain(reset_less=True)
    m.submodules.element = element
    simulator = Simulator(Fragment.get(m, None))
    simulator.add_clock(1e-6)
    got: list[int] = []

    async def bench(at) -> None:  # type: ignore[no-untyped-def]
        at.set(element.point, point)
        at.set(element.y_in, held)
        for port in (element.shift, element.done):
            at.set(port, 1)
        await at.tick()
        at.set(element.shift, 0)
        at.set(element.swap, 1)
        await at.tick()
        at.set(element.swap, 0)
        late = 1 + pipeline
        for cycle in range(count + late):
            at.set(element.x_in, int(x[cycle]) if cycle < count else 0)
            at.set(element.sum_in, before[cycle - late] % (1 << 32) if cycle >= late else 0)
            await at.tick()
            got.append(at.get(element.sum_out))

    simulator.add_testbench(bench)
    simulator.run()
    shown = zip(got[1 + pipeline :], want.integers, want.invalid, want.overflow, want.underflow, strict=True)
    for total, integer, invalid, overflow, underflow in shown:
        flags = int(invalid) | int(overflow) << 1 | int(underflow) << 2
        assert total == int(integer) % (1 << 32) | flags << 32
    assert want.underflow.any() and want.invalid.any()


def test_every_unit_is_measured_once() -> None:
    units = script("windows").units()
    assert len({unit.name for unit in units.values()}) == len(units)
    assert set(script("windows").MOST) <= set(units)
