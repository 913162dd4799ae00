"""Long, for its simulator: an engine with AXI4-Stream ports behind a DMA model that was not made for it."""

import pytest

from tilewright.generators.emit.engine import engine_modules
from tilewright.sim_tests.harness import BuildSpec, make
from tilewright.sim_tests.harness.cocotb_run import run_cocotb
from tilewright.sim_tests.harness.ports import make_interface
from tilewright.sim_tests.system.stream_engines import stream_engine


@pytest.mark.long
def test_engine_between_the_streams_of_cocotbext_axi() -> None:
    config = stream_engine().config
    sources = {f"{module.name}.v": module.text for module in engine_modules(config)}
    interface = make_interface(config.module_name, [], clock="aclk", reset="aresetn", reset_active_low=True)
    build = make(BuildSpec(sources, interface, cocotb=True))
    result = run_cocotb(build, "tilewright.sim_tests.system.cocotb_streams", timeout=300)
    assert result.count == 2
    assert result.skipped == ()
