"""An engine behind AXI models of others: a memory and a host that were not made for it."""

from tilewright.generators.emit.engine import engine_modules
from tilewright.sim_tests.drivers.engine_ids import with_ids
from tilewright.sim_tests.harness import BuildSpec, make
from tilewright.sim_tests.harness.cocotb_run import run_cocotb
from tilewright.sim_tests.harness.ports import make_interface
from tilewright.sim_tests.system.engine_designs import gate_engines

DESIGN = "ws_4x4"
TOP = "engine_with_ids"


def test_engine_between_the_models_of_cocotbext_axi() -> None:
    config = gate_engines()[DESIGN].config
    sources = {f"{module.name}.v": module.text for module in engine_modules(config)}
    sources[f"{TOP}.v"] = with_ids(sources[f"{config.module_name}.v"], TOP)
    interface = make_interface(TOP, [], clock="aclk", reset="aresetn", reset_active_low=True)
    build = make(BuildSpec(sources, interface, cocotb=True))
    module = "tilewright.sim_tests.system.cocotb_engine"
    result = run_cocotb(build, module, environment={"ENGINE_DESIGN": DESIGN}, timeout=300)
    assert result.count == 2
    assert result.skipped == ()
