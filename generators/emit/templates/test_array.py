"""Bench of a generated systolic array: drives it with vectors/inputs.hex, compares its sums with vectors/sums.hex.

Needs cocotb 2 and a simulator: `python test_array.py` runs it in this folder (SIM=icarus where nothing is said).
"""

import json
import os
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

FOLDER = Path(__file__).resolve().parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text())
INPUTS = [port for port in MANIFEST["ports"] if port["direction"] == "input" and port["name"] not in ("clk", "rst")]
CHECK = 0xA5


def lines(name, damaged):
    """Numbers of a vector file without their check bytes; lines whose check byte is wrong are added to `damaged`."""
    found = []
    for index, text in enumerate((FOLDER / "vectors" / f"{name}.hex").read_text().split()):
        check = 0
        for byte in bytes.fromhex(text):
            check ^= byte
        if check != CHECK:
            damaged.append(f"FAIL vector {name}[{index}]: check expected {CHECK:02x}, got {check:02x}")
        found.append(int(text[:-2], 16))
    return found


@cocotb.test()
async def vectors(dut):
    """All sums that are expected come in their cycles, bit for bit."""
    damaged = []
    inputs, sums = lines("inputs", damaged), lines("sums", damaged)
    width = len(dut.sums)
    flag = -(-width // 8) * 8
    for port in INPUTS:
        getattr(dut, port["name"]).value = 0
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, 10, unit="step").start())
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    compared = 0
    for cycle, (line, wanted) in enumerate(zip(inputs, sums, strict=True)):
        for port in INPUTS:
            getattr(dut, port["name"]).value = line & ((1 << port["width"]) - 1)
            line >>= port["width"]
        await ReadOnly()
        if wanted >> flag:
            expected, got = wanted & ((1 << width) - 1), dut.sums.value
            good = got.is_resolvable and int(got) == expected
            assert good, f"FAIL sums[{cycle}]: expected {expected:x}, got {hex(int(got)) if got.is_resolvable else got}"
            compared += 1
        await RisingEdge(dut.clk)
    assert not damaged, "\n".join(damaged)
    assert compared, "FAIL nothing was compared"
    dut._log.info("PASS %d words compared", compared)


def run():
    """Builds and runs the bench."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    runner = get_runner(os.environ.get("SIM", "icarus"))
    module, build = MANIFEST["module"], FOLDER / "sim_build"
    runner.build(sources=[FOLDER / f"{module}.v"], hdl_toplevel=module, build_dir=build, timescale=("1ns", "1ps"))
    results = runner.test(hdl_toplevel=module, test_module="test_array", test_dir=FOLDER, build_dir=build)
    tests, failures = get_results(results)
    if not tests or failures:
        raise SystemExit(f"FAIL {failures} of {tests} tests")
    print("PASS")


if __name__ == "__main__":
    run()
