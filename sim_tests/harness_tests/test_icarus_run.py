"""Plain Verilog benches under Icarus Verilog."""

import pytest

from tilewright.sim_tests.harness import BuildFailed, InterfaceError, SimulationFailed
from tilewright.sim_tests.harness.icarus_run import run_icarus

BENCH = """
module bench;
  reg [7:0] vectors [0:2]; reg [7:0] never; reg [31:0] n;
  initial begin
    $readmemh("vectors.hex", vectors);
    if (!$value$plusargs("n=%d", n)) n = 0;
    $display("%0d %h %b", n, vectors[2], never);
    if (vectors[0] != 8'h01) begin $display("FAIL"); $fatal; end
    if (n == 9) forever #1;
    $display("PASS"); $finish;
  end
endmodule
"""


def test_output_vectors_and_four_states() -> None:
    result = run_icarus({"b.v": BENCH}, "bench", files={"vectors.hex": b"01 02 a3\n"}, arguments=["+n=5"])
    assert result.output.splitlines()[:2] == ["5 a3 xxxxxxxx", "PASS"]
    assert result.diagnostics == ()


def test_warnings_are_returned() -> None:
    text = "module bench; wire [3:0] a = 4'd1; child c (.x(a), .y()); endmodule\n"
    text += "module child (input [7:0] x, input y); endmodule\n"
    diagnostics = run_icarus({"b.v": text}, "bench").diagnostics
    assert any("b.v:1: warning" in line for line in diagnostics)


def test_failures() -> None:
    with pytest.raises(SimulationFailed, match=r"(?s)bench under Icarus Verilog: ended with code 1.*FAIL"):
        run_icarus({"b.v": BENCH}, "bench", files={"vectors.hex": b"00 00 00"})
    with pytest.raises(SimulationFailed, match=r"no end after 0.5 s of wall time"):
        run_icarus({"b.v": BENCH}, "bench", files={"vectors.hex": b"01 00 00"}, arguments=["+n=9"], timeout=0.5)
    with pytest.raises(BuildFailed, match=r"Icarus Verilog refused bench:\n(.|\n)*b.v:1"):
        run_icarus({"b.v": "modul bench; endmodule"}, "bench")
    with pytest.raises(InterfaceError, match=r"file names must be plain, got 'a/b.v'"):
        run_icarus({"a/b.v": ""}, "bench")
