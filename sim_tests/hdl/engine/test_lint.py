"""The Verilog of finish paths is clean under every rule of Verilator."""

from tilewright.sim_tests.harness.lint import lint
from tilewright.sim_tests.hdl.engine.finish_blocks import bench


def test_no_warning() -> None:
    built = bench().build
    assert lint(built.spec.sources, built.interface.top) == []
