"""The Verilog bench of a bare array, and its vectors: one line a cycle."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import Interface, PortNote
from tilewright.generators.emit.schedule import Schedule
from tilewright.generators.emit.vectors import CHECK, expected_text, payload_bits

_BENCH = """\
// Self-checking bench of {name}; run it in this folder:
//   iverilog -g2005-sv -o sim {simulated} && vvp sim
// Clean under verilator -Wall -Wno-DECLFILENAME (the rule of one module a file) --timing.
// Drives the array with vectors/inputs.hex, one line a cycle, compares its sums with vectors/sums.hex where that says
// so, and prints PASS, or FAIL with cycle, expected and got. The simulation ends with an error code after a FAIL.

module tb_{name};
  parameter VECTORS = "vectors";
  localparam CYCLES = {cycles};

  reg clk, rst;
  reg [{in_bits}-1:0] inputs [0:CYCLES-1];
  reg [{sum_bits}-1:0] sums [0:CYCLES-1];
  reg [{in_bits}-1:0] now;
  reg [{sum_bits}-1:0] wanted;
  reg [7:0] check;
  integer cycle, i;
  integer faults, compared;
{wires}
  {name} dut (
    {pins}
  );

  initial clk = 1'b0;
  always #5 clk = ~clk;

  initial begin
    rst = 1'b1;
    faults = 0;
    compared = 0;
    $readmemh({{VECTORS, "/inputs.hex"}}, inputs);
    $readmemh({{VECTORS, "/sums.hex"}}, sums);
    for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
      now = inputs[cycle];
      wanted = sums[cycle];
      check = 8'd0;
      for (i = 0; i < {in_bits} / 8; i = i + 1) check = check ^ now[8*i +: 8];
      if (check !== 8'h{check:02x}) fault("vector inputs", cycle, check);
      check = 8'd0;
      for (i = 0; i < {sum_bits} / 8; i = i + 1) check = check ^ wanted[8*i +: 8];
      if (check !== 8'h{check:02x}) fault("vector sums", cycle, check);
    end
    now = inputs[0];
    repeat (4) @(posedge clk);
    // Inputs change between the edges, so that no edge sees one change.
    @(negedge clk);
    rst = 1'b0;
    for (cycle = 0; cycle < CYCLES; cycle = cycle + 1) begin
      now = inputs[cycle];
      @(posedge clk);
      wanted = sums[cycle];
      if (wanted[{flag}]) begin
        compared = compared + 1;
        if (sums_now !== wanted[8 +: {sums}]) begin
          $display("FAIL sums[%0d]: expected %h, got %h", cycle, wanted[8 +: {sums}], sums_now);
          faults = faults + 1;
        end
      end
      @(negedge clk);
    end
    if (faults != 0 || compared != {compared}) begin
      $display("FAIL %0d faults, %0d of {compared} words compared", faults, compared);
      $fatal(1);
    end
    $display("PASS %0d words compared in %0d cycles", compared, CYCLES);
    $finish;
  end

  task fault(input [8*16-1:0] label, input integer index, input [7:0] got);
    begin
      $display("FAIL %0s[%0d]: check expected {check:02x}, got %h", label, index, got);
      faults = faults + 1;
    end
  endtask
endmodule
"""


def driven(outside: Interface) -> list[PortNote]:
    """The inputs that vectors drive, lowest bits first."""
    return [port for port in outside.ports if port.direction == "input" and port.name not in ("clk", "rst")]


def array_vectors(outside: Interface, schedule: Schedule) -> dict[str, str]:
    """``vectors/inputs.hex``, and ``vectors/sums.hex``: a byte that says whether the sums below it are compared."""
    ports = driven(outside)
    idle = {"clear": 1}
    words = []
    for cycle in range(schedule.cycles):
        word, low = 0, 0
        for port in ports:
            word |= schedule.inputs[cycle].get(port.name, idle.get(port.name, 0)) << low
            low += port.width
        words.append(word)
    width = _sum_width(outside)
    sums = [schedule.sums.get(c, 0) | int(c in schedule.sums) << payload_bits(width) for c in range(schedule.cycles)]
    return {
        "vectors/inputs.hex": expected_text(words, sum(port.width for port in ports)),
        "vectors/sums.hex": expected_text(sums, payload_bits(width) + 8),
    }


def array_bench(config: SystolicConfig, outside: Interface, schedule: Schedule, simulated: str) -> str:
    """The bench of a bare array; ``simulated`` are the files that a simulator compiles."""
    ports = driven(outside)
    width = _sum_width(outside)
    low, wires = 8, []
    for port in ports:
        wires.append(f"  wire [{port.width - 1}:0] {port.name} = now[{low} +: {port.width}];\n")
        low += port.width
    wires.append(f"  wire [{width - 1}:0] sums_now;\n")
    pins = [".clk(clk)", ".rst(rst)", *(f".{port.name}({port.name})" for port in ports), ".sums(sums_now)"]
    return _BENCH.format(
        name=config.module_name,
        simulated=simulated,
        cycles=schedule.cycles,
        in_bits=payload_bits(_total(ports)) + 8,
        sum_bits=payload_bits(width) + 16,
        flag=payload_bits(width) + 8,
        sums=width,
        compared=len(schedule.sums),
        check=CHECK,
        wires="".join(wires),
        pins=",\n    ".join(pins),
    )


def _total(ports: Sequence[PortNote]) -> int:
    return sum(port.width for port in ports)


def _sum_width(outside: Interface) -> int:
    return next(port.width for port in outside.ports if port.name == "sums")
