"""The Verilog of every component is clean under every rule of Verilator."""

from collections.abc import Callable

import pytest

from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.harness.lint import lint
from tilewright.sim_tests.hdl import datapath_bench
from tilewright.sim_tests.hdl.arith import unit_bench
from tilewright.sim_tests.hdl.stream import bench as stream_bench


@pytest.mark.parametrize(
    "bench",
    [stream_bench.bench, datapath_bench.bench, unit_bench.bench],
    ids=lambda b: b.__module__,
)
def test_no_warning(bench: Callable[[], Bench]) -> None:
    built = bench().build
    assert lint(built.spec.sources, built.interface.top) == []
