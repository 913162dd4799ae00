"""Small Verilog designs, right and wrong."""

from __future__ import annotations

from tilewright.sim_tests.harness import Build, BuildSpec, Interface, Run, StreamPort, build, make, pack


def source(name: str, width: int) -> StreamPort:
    return StreamPort(name, "in", ((f"{name}_data", width),), f"{name}_valid", f"{name}_ready")


def sink(name: str, width: int) -> StreamPort:
    return StreamPort(name, "out", ((f"{name}_data", width),), f"{name}_valid", f"{name}_ready")


def _ports(width: int) -> str:
    return f"""input clk, input rst,
  input [{width - 1}:0] i_data, input i_valid, output i_ready,
  output [{width - 1}:0] o_data, output o_valid, input o_ready"""


def buffer(width: int = 8, remark: str = "") -> dict[str, str]:
    """One register; takes a beat in the cycle in which it gives one away."""
    return {
        "buffer.v": f"""
module buffer ({_ports(width)}); // {remark}
  reg [{width - 1}:0] data; reg full;
  assign i_ready = !full || o_ready;
  assign o_data = data;
  assign o_valid = full;
  always @(posedge clk)
    if (rst) full <= 0;
    else if (i_ready) begin full <= i_valid; data <= i_data; end
endmodule
"""
    }


def build_buffer() -> Build:
    return make(buffer_spec())


def build_buffers(*widths: int) -> Build:
    """One build of a buffer of each width; its streams are ``i8`` and ``o8`` where it has 8 bits."""
    streams = [stream for width in widths for stream in (source(f"i{width}", width), sink(f"o{width}", width))]
    ports = ", ".join(f"{_port(stream)}" for stream in streams)
    parts = "\n".join(
        f"  buffer{width} part{width} (.clk(clk), .rst(rst), "
        + ", ".join(f".{end}_{pin}({end}{width}_{pin})" for end in "io" for pin in ("data", "valid", "ready"))
        + ");"
        for width in widths
    )
    texts = {f"buffer{w}.v": buffer(w)["buffer.v"].replace("module buffer ", f"module buffer{w} ") for w in widths}
    top = f"module buffers (input clk, input rst, {ports});\n{parts}\nendmodule\n"
    return build({"buffers.v": top, **texts}, "buffers", streams)


def _port(stream: StreamPort) -> str:
    (data, width), *_ = stream.signals
    there, back = ("input", "output") if stream.direction == "in" else ("output", "input")
    return f"{there} [{width - 1}:0] {data}, {there} {stream.valid}, {back} {stream.ready}"


STREAMS = (source("i", 8), sink("o", 8))


def buffer_spec(remark: str = "") -> BuildSpec:
    """A build of its own for each remark."""
    return BuildSpec(buffer(8, remark), Interface("buffer", STREAMS))


def check_buffer(made: Build) -> None:
    beats = pack(range(20), 8)
    Run(made).send("i", beats).expect("o", beats).execute()


#: Two independent wires, so that every cycle number is known exactly.
WIRES = """
module wires (input clk, input rst,
  input [7:0] a_data, input a_valid, output a_ready, output [7:0] x_data, output x_valid, input x_ready,
  input [7:0] b_data, input b_valid, output b_ready, output [7:0] y_data, output y_valid, input y_ready);
  assign x_data = a_data; assign x_valid = a_valid; assign a_ready = x_ready;
  assign y_data = b_data; assign y_valid = b_valid; assign b_ready = y_ready;
endmodule
"""


def build_wires() -> Build:
    return build({"wires.v": WIRES}, "wires", [source("a", 8), sink("x", 8), source("b", 8), sink("y", 8)])


#: A full adder over two streams of different widths, joined; the sum is one bit wider than the wider operand.
ADDER = """
module adder (input clk, input rst,
  input [39:0] a_left, input [6:0] a_right, input a_last, input a_valid, output a_ready,
  output [40:0] s_sum, output s_last, output s_valid, input s_ready);
  assign s_sum = a_left + {34'd0, a_right};
  assign s_last = a_last; assign s_valid = a_valid; assign a_ready = s_ready;
endmodule
"""


def build_adder() -> Build:
    left = StreamPort("a", "in", (("a_left", 40), ("a_right", 7), ("a_last", 1)), "a_valid", "a_ready")
    right = StreamPort("s", "out", (("s_sum", 41), ("s_last", 1)), "s_valid", "s_ready")
    return build({"adder.v": ADDER}, "adder", [left, right])


#: Ports that are no streams; a register without a reset; what idle payloads do to a register.
PLAIN = """
module plain (input clk, input rst, input [69:0] offset, input [7:0] i_data, input i_valid,
  output [7:0] unset, output reg [7:0] leak, output [70:0] moved);
  reg [7:0] never;  // has no reset: starts with a random value
  assign unset = never;
  assign moved = {1'b0, offset} + 71'd1;
  always @(posedge clk) begin
    if (i_valid && i_data == 8'hff) never <= 0;
    if (rst) leak <= 0;
    else if (!i_valid) leak <= leak | i_data;
  end
endmodule
"""


def build_plain(*, trace: bool = False) -> Build:
    port = StreamPort("i", "in", (("i_data", 8),), "i_valid", None)
    outputs = [("unset", 8), ("leak", 8), ("moved", 71)]
    return build({"plain.v": PLAIN}, "plain", [port], inputs=[("offset", 70)], outputs=outputs, trace=trace)


def faulty(body: str, *, extra: str = "", name: str = "faulty") -> dict[str, str]:
    """A module with the ports of an 8-bit buffer; ``count`` counts cycles outside reset."""
    return {
        f"{name}.v": f"""
module {name} ({_ports(8)}{extra});
  reg [7:0] count;
  always @(posedge clk) if (rst) count <= 0; else count <= count + 1;
  {body}
endmodule
"""
    }


#: Takes valid back in cycle 3 although ready was never high.
WITHDRAWS_VALID = "assign i_ready = 1; assign o_data = 7; assign o_valid = count != 3;"

#: Counts on while the beat waits.
CHANGES_PAYLOAD = "assign i_ready = 1; assign o_data = count; assign o_valid = 1;"

#: Says each beat twice.
REPEATS = """reg [7:0] data; reg [1:0] left;
  assign i_ready = left == 0; assign o_data = data; assign o_valid = left != 0;
  always @(posedge clk)
    if (rst) left <= 0;
    else if (i_valid && i_ready) begin data <= i_data; left <= 2; end
    else if (o_valid && o_ready) left <= left - 1;"""

#: Swallows everything.
SWALLOWS = "assign i_ready = 1; assign o_data = 0; assign o_valid = 0;"

#: Forbidden by the stream rules: valid waits for ready.
WAITS_FOR_READY = "assign i_ready = o_ready; assign o_data = i_data; assign o_valid = i_valid && o_ready;"

#: Ends the simulation by itself.
FINISHES = SWALLOWS + ' always @(posedge clk) if (!rst && count == 5) begin $display("enough"); $finish; end'

_FAULTS = (WITHDRAWS_VALID, CHANGES_PAYLOAD, REPEATS, SWALLOWS, WAITS_FOR_READY, FINISHES)


def faulty_run(body: str) -> Run:
    """A run of a module with one of these bodies; all are in one build, and the others stay in reset."""
    pins = [("i_ready", 1), ("o_data", 8), ("o_valid", 1)]
    texts: dict[str, str] = {}
    lines = []
    for number, each in enumerate(_FAULTS):
        texts |= faulty(each, name=f"faulty{number}")
        wires = ", ".join(f".{pin}({pin}{number})" for pin, _ in pins)
        lines += [f"wire [{width - 1}:0] {pin}{number};" for pin, width in pins]
        lines.append(
            f"faulty{number} part{number} (.clk(clk), .rst(rst || chosen != {number}), .i_data(i_data), "
            f".i_valid(i_valid), .o_ready(o_ready), {wires});"
        )
    for pin, _ in pins:
        of = "".join(f"chosen == {number} ? {pin}{number} : " for number in range(len(_FAULTS)))
        lines.append(f"assign {pin} = {of}0;")
    text = "\n  ".join([f"module faulty (input [2:0] chosen, {_ports(8)});", *lines]) + "\nendmodule\n"
    made = build({"faulty.v": text, **texts}, "faulty", STREAMS, inputs=[("chosen", 3)])
    return Run(made).set("chosen", _FAULTS.index(body))
