"""A self-checking bench in plain Verilog that needs nothing but a simulator and the vectors."""

from __future__ import annotations

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import Interface, Stream
from tilewright.generators.emit.program import Program
from tilewright.generators.emit.vectors import CHECK, payload_bits

MOST = 7
"""Eighths of the beats after which a reset falls."""

_HEAD = """\
// Self-checking bench of {name}; run it in this folder:
//   iverilog -g2005-sv -o sim {simulated} && vvp sim
// Clean under verilator -Wall -Wno-DECLFILENAME (the rule of one module a file) --timing.
// Sends and expects what the files in vectors/ say, twice: without a pause, until a reset cuts it off when most is
// done; then with idle cycles and back-pressure. Prints PASS, or FAIL with stream, index, expected and got. The
// simulation ends with an error code after a FAIL.

module tb_{name};
  parameter VECTORS = "vectors";
  localparam LIMIT = {limit};  // cycles of a pass

  reg clk, rst;
  reg fast;  // the first pass
  integer cycle;  // of this pass
  integer beats, cycles;  // of the first pass
  integer quiet;  // cycles since all was done
  integer seen, still;  // beats that have come, cycles since the last of them

  initial begin
    clk = 1'b0;
    rst = 1'b1;
    fast = 1'b1;
    cycle = 0;
    beats = 0;
    cycles = 0;
    quiet = 0;
    seen = 0;
    still = 0;
  end

  always #5 clk = ~clk;

"""

_TAIL = """\
  wire [31:0] compared = {compared};
  wire [31:0] faults = {faults};
  wire done = ~rst & &{{{finished}}};

  always @(posedge clk) begin
    cycle <= cycle + 1;
    rst <= fast & (cycle < 4);
    // Some cycles more, in which nothing may come.
    quiet <= done ? quiet + 1 : 0;
    still <= seen == compared ? still + 1 : 0;
    seen <= compared;
    if ((cycle == LIMIT) | (still == LIMIT / 8)) begin
      $display("FAIL no end after %0d cycles, %0d of {total} beats came", cycle, compared);
      $fatal(1);
    end
    if (fast ? ~rst & (compared >= {most}) : quiet == 64) begin
      if (faults != 0) begin
        $display("FAIL %0d faults, %0d beats compared", faults, beats + compared);
        $fatal(1);
      end
      if (~fast) begin
        $display("PASS %0d beats compared in %0d cycles", beats + compared, cycles + cycle);
        $finish;
      end
      fast <= 1'b0;
      beats <= compared;
      cycles <= cycle;
      cycle <= 0;
      quiet <= 0;
      rst <= 1'b1;
    end
  end
endmodule
"""

_SOURCE = """
// Offers beats, each when the answers that it awaits have come, with idle cycles between some of them unless fast.
module tb_{name}_source #(
  parameter WIDTH = 8,
  parameter BYTES = 1,
  parameter BEATS = 1,
  parameter [15:0] SEED = 16'd1,
  parameter FILE = "",
  parameter LABEL = ""
) (
  input wire clk,
  input wire rst,
  input wire fast,
  input wire [{sinks}*16-1:0] came,
  input wire ready,
  output wire valid,
  output reg [WIDTH-1:0] data,
  output reg [31:0] faults,
  output wire finished
);
  localparam LINE = 8 * (BYTES + {sinks} + 1);
  reg [LINE-1:0] lines [0:BEATS];
  reg [LINE-1:0] line;
  reg [7:0] check;
  reg [15:0] noise;
  reg offers;
  integer next, i;
  wire [{sinks}-1:0] here;  // answers that the next beat awaits
  wire due = (next < BEATS) & (&here) & (fast | (noise[1:0] != 2'd0));
  wire [WIDTH-1:0] filler;
  genvar g;

  initial begin
    offers = 1'b0;
    faults = 0;
    noise = SEED;
    if (BEATS > 0) $readmemh(FILE, lines, 0, BEATS - 1);
    for (next = 0; next < BEATS; next = next + 1) begin
      line = lines[next];
      check = 8'd0;
      for (i = 0; i < LINE / 8; i = i + 1) check = check ^ line[8*i +: 8];
      if (check !== 8'h{check:02x}) begin
        $display("FAIL vector %0s[%0d]: check expected {check:02x}, got %h", LABEL, next, check);
        faults = faults + 1;
      end
    end
    next = 0;
  end

  generate
    for (g = 0; g < {sinks}; g = g + 1) begin : sink
      assign here[g] = came[16*g +: 16] >= {{8'd0, lines[next][8*(BYTES+1+g) +: 8]}};
    end
    for (g = 0; g < WIDTH; g = g + 16) begin : part
      localparam BITS = WIDTH - g < 16 ? WIDTH - g : 16;
      assign filler[g +: BITS] = noise[BITS-1:0];
    end
  endgenerate

  assign valid = offers & ~rst;
  assign finished = (next == BEATS) & ~offers;

  always @(posedge clk) begin
    noise <= {{noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]}};
    if (rst) begin
      offers <= 1'b0;
      next <= 0;
    end else if (~offers | ready) begin
      offers <= due;
      data <= due ? lines[next][8 +: WIDTH] : filler;  // nobody may look at what comes without valid
      if (due) next <= next + 1;
    end
  end
endmodule
"""

_SINK = """
// Takes beats in some of the cycles, in all if fast, and compares them; an offered one must stay until it is taken.
module tb_{name}_sink #(
  parameter WIDTH = 8,
  parameter BYTES = 1,
  parameter BEATS = 1,
  parameter [15:0] SEED = 16'd1,
  parameter FILE = "",
  parameter LABEL = ""
) (
  input wire clk,
  input wire rst,
  input wire fast,
  input wire valid,
  input wire [WIDTH-1:0] data,
  output reg ready,
  output reg [15:0] came,
  output reg [31:0] faults,
  output wire finished
);
  localparam LINE = 8 * (BYTES + 1);
  reg [LINE-1:0] lines [0:BEATS];
  reg [LINE-1:0] line;
  reg [7:0] check;
  reg [15:0] noise;
  reg held;
  reg [WIDTH-1:0] offered;
  integer next, i;
  wire [31:0] place = {{16'd0, came}};
  wire [WIDTH-1:0] wanted = lines[place][8 +: WIDTH];

  initial begin
    ready = 1'b0;
    came = 0;
    faults = 0;
    noise = SEED;
    held = 1'b0;
    if (BEATS > 0) $readmemh(FILE, lines, 0, BEATS - 1);
    for (next = 0; next < BEATS; next = next + 1) begin
      line = lines[next];
      check = 8'd0;
      for (i = 0; i < LINE / 8; i = i + 1) check = check ^ line[8*i +: 8];
      if (check !== 8'h{check:02x}) begin
        $display("FAIL vector %0s[%0d]: check expected {check:02x}, got %h", LABEL, next, check);
        faults = faults + 1;
      end
    end
  end

  assign finished = place == BEATS;

  always @(posedge clk) begin
    noise <= {{noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]}};
    ready <= fast | (noise[2:0] > 3'd2);
    held <= ~rst & valid & ~ready;
    offered <= data;
    if (~rst & (valid === 1'bx)) begin
      $display("FAIL %0s: valid is x", LABEL);
      faults <= faults + 1;
    end
    if (~rst & held & ((valid !== 1'b1) | (data !== offered))) begin
      $display("FAIL %0s[%0d]: a beat that was not taken changed", LABEL, came);
      faults <= faults + 1;
    end
    if (rst) came <= 0;
    if (~rst & valid & ready) begin
      came <= came + 1;
      if (place >= BEATS) begin
        $display("FAIL %0s[%0d]: expected no beat, got %h", LABEL, came, data);
        faults <= faults + 1;
      end else if (data !== wanted) begin
        $display("FAIL %0s[%0d]: expected %h, got %h", LABEL, came, wanted, data);
        faults <= faults + 1;
      end
    end
  end
endmodule
"""


def core_bench(config: SystolicConfig, outside: Interface, program: Program, simulated: str) -> str:
    """The bench of a core; ``simulated`` are the files that a simulator compiles."""
    name = config.module_name
    sinks = outside.sinks
    body = [_HEAD.format(name=name, limit=program.limit, simulated=simulated)]
    for index, stream in enumerate(outside.streams):
        body.append(_stream(name, stream, len(program.sent[stream.name]) or len(program.expected[stream.name]), index))
    came = ", ".join(f"{sink.name}_came" for sink in reversed(sinks))
    wires = "".join(_wires(stream) for stream in outside.streams)
    body.insert(1, f"{wires}  wire [{len(sinks) * 16 - 1}:0] came = {{{came}}};\n\n")
    pins = [".clk(clk)", ".rst(rst)"]
    for stream in outside.streams:
        low = 0
        for part, width in stream.parts:
            pins.append(f".{stream.name}_t{part}({stream.name}[{low} +: {width}])")
            low += width
        pins += [f".{stream.name}_tvalid({stream.name}_valid)", f".{stream.name}_tready({stream.name}_ready)"]
    body.append(f"  {name} dut (\n    " + ",\n    ".join(pins) + "\n  );\n\n")
    finished = ", ".join(f"{stream.name}_finished" for stream in outside.streams)
    total = sum(len(program.expected[sink.name]) for sink in sinks)
    body.append(
        _TAIL.format(
            compared=" + ".join(f"{{16'd0, {sink.name}_came}}" for sink in sinks),
            faults=" + ".join(f"{stream.name}_faults" for stream in outside.streams),
            total=total,
            most=total * MOST // 8,
            finished=finished,
        )
    )
    body += [_SOURCE.format(name=name, sinks=len(sinks), check=CHECK), _SINK.format(name=name, check=CHECK)]
    return "".join(body)


def _wires(stream: Stream) -> str:
    name = stream.name
    came = f"  wire [15:0] {name}_came;\n" if stream.direction == "out" else ""
    return (
        f"  wire [{stream.width - 1}:0] {name};\n  wire {name}_valid, {name}_ready, {name}_finished;\n"
        f"  wire [31:0] {name}_faults;\n{came}"
    )


def _stream(name: str, stream: Stream, beats: int, index: int) -> str:
    kind = "source" if stream.direction == "in" else "sink"
    extra = ".came(came)" if kind == "source" else f".came({stream.name}_came)"
    s = stream.name
    return (
        f"  tb_{name}_{kind} #(\n"
        f"    .WIDTH({stream.width}), .BYTES({payload_bits(stream.width) // 8}), .BEATS({beats}),\n"
        f"    .SEED(16'd{4919 * (index + 1) % 65536}),\n"
        f'    .FILE({{VECTORS, "/{s}.hex"}}), .LABEL("{s}")\n'
        f"  ) {s}_{kind} (\n"
        f"    .clk(clk), .rst(rst), .fast(fast), {extra}, .valid({s}_valid), .ready({s}_ready), .data({s}),\n"
        f"    .faults({s}_faults), .finished({s}_finished)\n  );\n\n"
    )
