"""Own Verilog designs around generated cores: one core, and two different ones, under two simulators."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tilewright.sim_tests.examples.example import EXAMPLES, core, needs_icarus, roms, script, verilog, with_paths
from tilewright.sim_tests.harness import Build, Run, SimulationFailed, StreamPort, build
from tilewright.sim_tests.harness.icarus_run import run_icarus

MODULES = ("matmul_top/request.v", "matmul_top/rom_stream.v")
CORES = {"matmul_top": ("gemm4",), "two_layers": ("hidden", "classes")}
GO = {
    "matmul_top": "dut.go_load, dut.go_multiply, dut.go_read",
    "two_layers": "dut.go_load, dut.go_first, dut.go_pass, dut.go_second, dut.go_read",
}
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
    assert script("make_roms.py")["main"](["--write-examples", str(tmp_path)]) == 0
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


# A reset of one cycle, `delay` cycles into a run, for every delay until a run ends before it; then a run to its end.
RESETS = """
module tb_resets;
  reg clk = 1'b0, rst = 1'b1, start = 1'b0;
  wire done, error, tlast, tvalid;
  wire [{data}-1:0] tdata;
  wire [{keep}-1:0] tkeep;
  reg [{keep}+{data}-1:0] expected [0:{beats}-1];
  integer delay = 0, beat = 0, last = 0, i;
  always #5 clk = ~clk;
  {example} dut (.clk(clk), .rst(rst), .start(start), .done(done), .error(error), .{stream}_tdata(tdata),
    .{stream}_tkeep(tkeep), .{stream}_tlast(tlast), .{stream}_tvalid(tvalid), .{stream}_tready(1'b1));
  initial begin
    $readmemh("{stream}.mem", expected);
    @(negedge clk);
    while (!last) begin
      rst = 1'b0;
      start = 1'b1;
      @(negedge clk) start = 1'b0;
      for (i = 0; i < delay; i = i + 1) @(negedge clk);
      last = done;
      rst = 1'b1;
      @(negedge clk);
      if (|{{{go}}} !== 1'b0 || done !== 1'b0 || tvalid !== 1'b0) begin
        $display("FAIL stray command after a reset at %0d", delay);
        $fatal(1);
      end
      delay = delay + 1;
    end
    rst = 1'b0;
    start = 1'b1;
    @(negedge clk) start = 1'b0;
    while (!done) begin
      if (tvalid) begin
        if ({{tkeep, tdata}} !== expected[beat]) begin
          $display("FAIL beat %0d", beat);
          $fatal(1);
        end
        beat = beat + 1;
      end
      @(negedge clk);
    end
    if (error || beat != {beats}) begin
      $display("FAIL %0d beats", beat);
      $fatal(1);
    end
    $display("PASS %0d resets", delay);
    $finish;
  end
endmodule
"""


def with_resets(example: str, design: dict[str, str]) -> str:
    stream, data, keep = RESULT[example]
    filled = {"example": example, "stream": stream, "data": data, "keep": keep, "go": GO[example]}
    text = RESETS.format(**filled, beats=len(expected(example)))
    return run_icarus(design | {"tb_resets.v": text}, "tb_resets", files=roms(example), timeout=60).output


@needs_icarus
@pytest.mark.parametrize("example", CORES)
def test_a_reset_of_one_cycle_leaves_no_command_behind(example: str) -> None:
    output = with_resets(example, sources(example))
    assert "PASS" in output
    assert int(output.split()[-2]) > 50


@needs_icarus
@pytest.mark.parametrize(("example", "line"), [("matmul_top", "go_read"), ("two_layers", "{go_load")])
def test_a_command_that_reset_forgets_is_noticed(example: str, line: str) -> None:
    design = sources(example)
    head, reset, tail = design[f"{example}.v"].partition("    if (rst) begin\n")
    cut = [each for each in tail.splitlines(keepends=True) if not re.match(rf"\s*{re.escape(line)}\b", each)]
    assert len(cut) == len(tail.splitlines()) - 1
    with pytest.raises(SimulationFailed, match="stray command after a reset"):
        with_resets(example, design | {f"{example}.v": head + reset + "".join(cut)})


@cache
def side_by_side() -> Build:
    """All examples in one simulator; port ``p`` of an example is port ``example_p``, and ``start`` starts all."""
    texts: dict[str, str] = {}
    ports, parts = ["input clk", "input rst", "input start"], ""
    streams: list[StreamPort] = []
    outputs: list[tuple[str, int]] = []
    for example, (stream, width, lanes) in RESULT.items():
        found = with_paths(sources(example), example)
        assert all(texts.get(name, text) == text for name, text in found.items())
        texts |= found
        data = {f"{stream}_tdata": width, f"{stream}_tkeep": lanes, f"{stream}_tlast": 1}
        valid, ready = f"{stream}_tvalid", f"{stream}_tready"
        out = data | {valid: 1, "done": 1, "error": 1}
        ports += [f"output [{bits - 1}:0] {example}_{name}" for name, bits in out.items()]
        ports.append(f"input {example}_{ready}")
        wires = "".join(f", .{name}({example}_{name})" for name in (*out, ready))
        parts += f"  {example} {example}_part (.clk(clk), .rst(rst), .start(start){wires});\n"
        signals = tuple((f"{example}_{name}", bits) for name, bits in data.items())
        streams.append(StreamPort(example, "out", signals, f"{example}_{valid}", f"{example}_{ready}"))
        outputs += [(f"{example}_done", 1), (f"{example}_error", 1)]
    texts["examples.v"] = f"module examples ({', '.join(ports)});\n{parts}endmodule\n"
    return build(texts, "examples", streams, inputs=[("start", 1)], outputs=outputs)


@pytest.mark.parametrize("example", CORES)
def test_the_design_gives_the_same_under_verilator(example: str) -> None:
    _, width, lanes = RESULT[example]
    want = expected(example)
    want[-1] |= 1 << width + lanes  # last
    run = Run(side_by_side()).set("start", 1)
    for other in CORES:
        run.expect(other, len(want) if other == example else None, stall=0.3)
    done = run.execute()
    got = [int.from_bytes(np.ascontiguousarray(beat, "<u4").tobytes(), "little") for beat in done[example].beats]
    assert got == want
    assert done.outputs[f"{example}_error"] == 0


def test_the_two_cores_share_no_module_name() -> None:
    names = [
        {line.split()[1] for line in core(f"two_layers/{name}.toml")[f"{name}.v"].splitlines() if line[:7] == "module "}
        for name in CORES["two_layers"]
    ]
    assert all(len(found) > 20 for found in names)
    assert not names[0] & names[1]


def test_every_file_of_the_examples_is_used() -> None:
    used = {*MODULES, *(f"{e}/{p}{e}.v" for e in CORES for p in ("", "tb_"))}
    used |= {f"engine_matmul/{name}.v" for name in ("axi_memory", "tb_engine4")}  # by test_engine_matmul.py
    assert {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.v")} == used
