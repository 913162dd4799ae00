"""cocotb under the harness's own Verilator build."""

from pathlib import Path

import pytest

from tilewright.sim_tests.harness import Build, InterfaceError, SimulationFailed, build
from tilewright.sim_tests.harness.cocotb_run import run_cocotb
from tilewright.sim_tests.harness_tests.designs import buffer, build_buffer

GOOD = """
import os, random
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly

@cocotb.test()
async def passes(dut):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value, dut.i_valid.value, dut.o_ready.value = 1, 0, 1
    await ClockCycles(dut.clk, 3)
    sent = random.getrandbits(8)
    print("sent", sent, os.environ.get("EXTRA"))
    dut.rst.value, dut.i_data.value, dut.i_valid.value = 0, sent, 1
    await ClockCycles(dut.clk, 2)
    await ReadOnly()
    assert int(dut.o_data.value) == sent and int(dut.o_valid.value) == 1

@cocotb.test()
async def hidden(dut):
    assert not hasattr(dut, "inner"), "what is below the top module costs speed if it is visible"

@cocotb.test(skip=True)
async def skips(dut):
    pass
"""

BAD = """
import cocotb

@cocotb.test()
async def fails(dut):
    assert int(dut.rst.value) == 3, "on purpose"

@cocotb.test()
async def passes(dut):
    pass
"""

IDLE = "import cocotb\n@cocotb.test(skip=True)\nasync def skips(dut): pass\n"

#: A top module with something below it.
OUTER = """
module outer (input clk, input rst, input [7:0] i_data, input i_valid, output i_ready,
  output [7:0] o_data, output o_valid, input o_ready);
  buffer inner (.*);
endmodule
"""


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "benches"
    folder.mkdir()
    for name, text in (("good", GOOD), ("bad", BAD), ("idle", IDLE)):
        (folder / f"bench_{name}.py").write_text(text)
    return folder


@pytest.fixture
def built() -> Build:
    return build({**buffer(), "outer.sv": OUTER}, "outer", cocotb=True)


def test_tests_are_counted_and_the_log_kept(built: Build, bench: Path, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "run.log"
    result = run_cocotb(built, "bench_good", python_path=[bench], log=log, environment={"EXTRA": "seen"})
    assert (result.passed, result.skipped, result.count) == (("passes", "hidden"), ("skips",), 2)
    assert log.read_text() == result.log and " seen\n" in result.log


def test_only_some_tests(built: Build, bench: Path) -> None:
    assert run_cocotb(built, "bench_good", only=r"\.passes$", python_path=[bench]).passed == ("passes",)


def test_the_seed_decides(built: Build, bench: Path) -> None:
    def sent(seed: int) -> str:
        log = run_cocotb(built, "bench_good", seed=seed, python_path=[bench]).log
        return next(line for line in log.splitlines() if line.startswith("sent "))

    assert sent(5) == sent(5) != sent(6)


def test_a_failing_test_is_named_with_its_seed(built: Build, bench: Path) -> None:
    with pytest.raises(SimulationFailed) as caught:
        run_cocotb(built, ["bench_good", "bench_bad"], seed=7, python_path=[bench])
    assert str(caught.value).startswith("outer, tests bench_good, bench_bad, seed 7: fails failed\n")
    assert "on purpose" in str(caught.value)


def test_no_test_at_all_is_a_failure(built: Build, bench: Path) -> None:
    for module, only, reason in (
        ("bench_good", "no such test", ""),
        ("bench_idle", None, "no test was run"),
        ("no_such_module", None, ""),
    ):
        with pytest.raises(SimulationFailed, match=f"^outer, tests {module}, seed 1: {reason}"):
            run_cocotb(built, module, only=only, python_path=[bench])


def test_waves_on_demand(built: Build, bench: Path, tmp_path: Path) -> None:
    run_cocotb(built, "bench_good", python_path=[bench], waves=tmp_path / "w.vcd")
    assert "o_valid" in (tmp_path / "w.vcd").read_text()


def test_misuse(built: Build) -> None:
    with pytest.raises(InterfaceError, match="buffer was not built for cocotb; build it with cocotb=True"):
        run_cocotb(build_buffer(), "x")
    with pytest.raises(InterfaceError, match=r"seed must be 1..2147483647, got 0; nearest is 1"):
        run_cocotb(built, "x", seed=0)
