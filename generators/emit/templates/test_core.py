"""Bench of a generated GEMM core: sends and expects what vectors/ says, with idle cycles and back-pressure.

Needs cocotb 2 and a simulator: `python test_core.py` runs it in this folder (SIM=icarus where nothing is said).
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

FOLDER = Path(__file__).resolve().parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text())
STREAMS = MANIFEST["streams"]
SINKS = [stream["name"] for stream in STREAMS if stream["direction"] == "out"]
CHECK = 0xA5
LIMIT = MANIFEST["bench_cycles"]


def lines(stream, damaged):
    """Numbers of a vector file without their check bytes; lines whose check byte is wrong are added to `damaged`."""
    found = []
    for index, text in enumerate((FOLDER / "vectors" / f"{stream['name']}.hex").read_text().split()):
        check = 0
        for byte in bytes.fromhex(text):
            check ^= byte
        if check != CHECK:
            damaged.append(f"FAIL vector {stream['name']}[{index}]: check expected {CHECK:02x}, got {check:02x}")
        found.append(int(text[:-2], 16))
    return found


def parts(stream):
    """(signal, lowest bit, width) of the parts of a beat."""
    low = 0
    for part, width in stream["widths"].items():
        yield stream["signals"][part], low, width
        low += width


async def source(dut, stream, beats, came, rng):
    """Offers the beats of a stream, each when the answers that it awaits have come."""
    bits = -(-sum(stream["widths"].values()) // 8) * 8
    valid, ready = (getattr(dut, stream["signals"][name]) for name in ("valid", "ready"))
    for line in beats:
        awaited = [line >> bits + 8 * index & 0xFF for index in range(len(SINKS))]
        while any(came[sink] < count for sink, count in zip(SINKS, awaited, strict=True)) or rng.random() < 0.25:
            await RisingEdge(dut.clk)
        valid.value = 1
        for signal, low, width in parts(stream):
            getattr(dut, signal).value = line >> low & ((1 << width) - 1)
        while True:
            await ReadOnly()
            taken = ready.value == 1
            await RisingEdge(dut.clk)
            if taken:
                break
        valid.value = 0


async def sink(dut, stream, expected, came, rng):
    """Takes and compares the beats of a stream for ever."""
    name = stream["name"]
    valid, ready = (getattr(dut, stream["signals"][signal]) for signal in ("valid", "ready"))
    while True:
        ready.value = int(rng.random() < 0.6)
        await ReadOnly()
        assert valid.value.is_resolvable, f"FAIL {name}: valid is {valid.value}"
        if valid.value == 1 and ready.value == 1:
            values = [(getattr(dut, signal).value, low) for signal, low, _ in parts(stream)]
            index = came[name]
            assert index < len(expected), f"FAIL {name}[{index}]: expected no beat, got {values}"
            assert all(value.is_resolvable for value, _ in values), (
                f"FAIL {name}[{index}]: expected {expected[index]:x}, got {values}"
            )
            got = sum(int(value) << low for value, low in values)
            assert got == expected[index], f"FAIL {name}[{index}]: expected {expected[index]:x}, got {got:x}"
            came[name] += 1
        await RisingEdge(dut.clk)


@cocotb.test()
async def vectors(dut):
    """All beats come, in order, bit for bit, and none besides."""
    came = dict.fromkeys(SINKS, 0)
    rng = random.Random(1)
    for stream in STREAMS:
        if stream["direction"] == "in":
            getattr(dut, stream["signals"]["valid"]).value = 0
        else:
            getattr(dut, stream["signals"]["ready"]).value = 0
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, 10, unit="step").start())
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    damaged, running = [], []
    beats = {stream["name"]: lines(stream, damaged) for stream in STREAMS}
    for stream in STREAMS:
        seed = rng.randrange(1 << 30)
        work = source if stream["direction"] == "in" else sink
        task = cocotb.start_soon(work(dut, stream, beats[stream["name"]], came, random.Random(seed)))
        if work is source:
            running.append(task)
    expected = {name: len(beats[name]) for name in SINKS}
    quiet = 0
    for _ in range(LIMIT):
        await RisingEdge(dut.clk)
        done = all(task.done() for task in running) and came == expected
        quiet = quiet + 1 if done else 0
        if quiet == 64:
            break
    assert not damaged, "\n".join(damaged)
    assert quiet == 64, f"FAIL no end after {LIMIT} cycles, beats expected {expected}, got {came}"
    dut._log.info("PASS %d beats compared", sum(came.values()))


def run():
    """Builds and runs the bench."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    runner = get_runner(os.environ.get("SIM", "icarus"))
    module, build = MANIFEST["module"], FOLDER / "sim_build"
    runner.build(sources=[FOLDER / f"{module}.v"], hdl_toplevel=module, build_dir=build, timescale=("1ns", "1ps"))
    results = runner.test(hdl_toplevel=module, test_module="test_core", test_dir=FOLDER, build_dir=build)
    tests, failures = get_results(results)
    if not tests or failures:
        raise SystemExit(f"FAIL {failures} of {tests} tests")
    print("PASS")


if __name__ == "__main__":
    run()
