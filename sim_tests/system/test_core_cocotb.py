"""The core through its AXI4-Stream ports under cocotb, as in a user's own bench."""

import pytest

from tilewright.sim_tests.harness.cocotb_run import run_cocotb
from tilewright.sim_tests.system.designs import gate_designs

DESIGN = "any_4x4"


@pytest.mark.parametrize("seed", [1, 2])
def test_core_at_its_ports(seed: int) -> None:
    build = gate_designs()[DESIGN].build(cocotb=True)
    module = "tilewright.sim_tests.system.cocotb_core"
    result = run_cocotb(build, module, seed=seed, environment={"CORE_DESIGN": DESIGN}, timeout=300)
    assert result.count == 4 + 1 + 5
    assert result.skipped == ()
