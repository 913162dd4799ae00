"""Own Verilog designs around generated cores: one core, and two different ones, under two simulators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.sim_tests.examples.example import EXAMPLES, core, needs_icarus, roms, script, verilog, with_paths
from tilewright.sim_tests.harness import Run, SimulationFailed, StreamPort, build
from tilewright.sim_tests.harness.icarus_run import run_icarus

MODULES = ("matmul_top/request.v", "matmul_top/rom_stream.v")
CORES = {"matmul_top": ("gemm4",), "two_layers": ("hidden", "classes")}
RESULT = {"matmul_top": ("c", 128, 4), "two_layers": ("y", 48, 3)}


def sources(example: str) -> dict[str, str]:
    cores = {f"{name}.v": core(f"{example}/{name}.toml")[f"{name}.v"] for name in CORES[example]}
    return cores | verilog(*MODULES, f"{example}/{example}.v")


def bench(example: str) -> dict[str, str]:
    return sources(example) | verilog(f"{example}/tb_{example}.v")


def expected(example: str) -> list[int]:
    return [int(line, 16) for line in roms(example)[f"{RESULT[example][0]}.mem"].split()]


@pytest.mark.parametrize("example", CORES)
def test_roms_hold_what_the_script_writes(example: str, tmp_path: Path) -> None:
    (tmp_path / "matmul_top").mkdir()
    (tmp_path / "two_layers").mkdir()
    script("make_roms.py")["main"](tmp_path)
    assert {file.name: file.read_bytes() for file in (tmp_path / example).iterdir()} == roms(example)


@needs_icarus
@pytest.mark.parametrize("example", CORES)
def test_the_design_passes_its_bench_under_icarus(example: str) -> None:
    done = run_icarus(bench(example), f"tb_{example}", files=roms(example))
    assert done.diagnostics == ()
    assert "PASS" in done.output


@needs_icarus
@pytest.mark.parametrize("example", CORES)
def test_the_bench_notices_a_wrong_bit(example: str) -> None:
    name = f"{RESULT[example][0]}.mem"
    lines = roms(example)[name].split()
    lines[3] = f"{int(lines[3], 16) ^ 4:x}".encode()
    with pytest.raises(SimulationFailed, match="FAIL beat 3: expected"):
        run_icarus(bench(example), f"tb_{example}", files=roms(example) | {name: b"\n".join(lines)})


@pytest.mark.parametrize("example", CORES)
def test_the_design_gives_the_same_under_verilator(example: str) -> None:
    stream, width, lanes = RESULT[example]
    parts = ((f"{stream}_tdata", width), (f"{stream}_tkeep", lanes), (f"{stream}_tlast", 1))
    out = StreamPort(stream, "out", parts, f"{stream}_tvalid", f"{stream}_tready")
    made = build(
        with_paths(sources(example), example),
        example,
        [out],
        inputs=[("start", 1)],
        outputs=[("done", 1), ("error", 1)],
    )
    want = expected(example)
    want[-1] |= 1 << width + lanes  # last
    done = Run(made).set("start", 1).expect(stream, len(want), stall=0.3).execute()
    got = [int.from_bytes(np.ascontiguousarray(beat, "<u4").tobytes(), "little") for beat in done[stream].beats]
    assert got == want
    assert done.outputs["error"] == 0


def test_the_two_cores_share_no_module_name() -> None:
    names = [
        {line.split()[1] for line in core(f"two_layers/{name}.toml")[f"{name}.v"].splitlines() if line[:7] == "module "}
        for name in CORES["two_layers"]
    ]
    assert all(len(found) > 20 for found in names)
    assert not names[0] & names[1]


def test_every_file_of_the_examples_is_used() -> None:
    used = {*MODULES, *(f"{e}/{p}{e}.v" for e in CORES for p in ("", "tb_"))}
    assert {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.v")} == used
