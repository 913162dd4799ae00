"""A core between AXI4-Streams: a module of wires around it, with the names and attributes that Vivado recognises."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.fpga.export.axi_streams import AxiStream, axi_streams
from tilewright.fpga.export.product import Port, Product

_HEAD = """\
// {top} between AXI4-Streams: whole bytes, TKEEP for each byte, TLAST at the end of a matrix and of each answer.
// Each value has {containers}, low bits first. Nothing is stored here, and nothing is late.
module {name} (
"""
_CLOCK = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK", '
    'X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF {buses}, ASSOCIATED_RESET aresetn" *)\n'
    "  input  wire aclk"
)
_RESET = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST", '
    'X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)\n'
    "  input  wire aresetn"
)
_LANES = """\
  generate
    for (lane = 0; lane < {lanes}; lane = lane + 1) begin : {name}_lanes
      assign {data} = {value};
      assign {keep} = {kept};
    end
  endgenerate
"""


def axis_name(product: Product) -> str:
    """Name of the module around the core."""
    return f"{product.top}_axis"


def axis_ports(product: Product) -> list[Port]:
    """Its ports, in their order."""
    clock = [Port("aclk", "input", 1), Port("aresetn", "input", 1)]
    return clock + [port for stream in axi_streams(product) for port in stream.ports()]


def axis_core(product: Product) -> str:
    """Text of the module."""
    streams = axi_streams(product)
    buses = ":".join(stream.bus.upper() for stream in streams)
    ports = [
        _CLOCK.format(buses=buses),
        _RESET,
        *(_port(stream, port) for stream in streams for port in stream.ports()),
    ]
    pins = [".clk(aclk)", ".rst(~aresetn)", *(pin for stream in streams for pin in _pins(stream))]
    return (
        _HEAD.format(top=product.top, name=axis_name(product), containers=_containers(streams))
        + ",\n".join(ports)
        + "\n);\n  genvar lane;\n\n"
        + "\n".join(_wires(stream) for stream in streams if stream.rows)
        + f"\n  {product.top} core (\n"
        + ",\n".join(f"    {pin}" for pin in pins)
        + "\n  );\n"
        + "".join(f"\n  assign {s.bus}_tkeep = {_ones(s)};\n  assign {s.bus}_tlast = 1'b1;" for s in _answers(streams))
        + "\nendmodule\n"
    )


def _answers(streams: Sequence[AxiStream]) -> list[AxiStream]:
    return [stream for stream in streams if not stream.rows and not stream.inward]


def _ones(stream: AxiStream) -> str:
    return f"{stream.bytes}'d{(1 << stream.bytes) - 1}"


def _containers(streams: Sequence[AxiStream]) -> str:
    sizes = {stream.name.split("_")[1].upper(): stream.container for stream in streams if stream.rows}
    return ", ".join(f"{size} byte{'s' * (size > 1)} ({operand})" for operand, size in sizes.items())


def _port(stream: AxiStream, port: Port) -> str:
    signal = port.name.removeprefix(f"{stream.bus}_").upper()
    extent = f" [{port.width - 1}:0]" if port.width > 1 or signal in ("TKEEP", "TDATA") else ""
    return (
        f'  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 {stream.bus.upper()} {signal}" *)\n'
        f"  {port.direction:6} wire{extent} {port.name}"
    )


def _pins(stream: AxiStream) -> list[str]:
    inner, outer = stream.name, stream.bus
    between = inner if stream.rows else outer
    parts = [f".{inner}_tdata({between}_tdata)"]
    if stream.rows:
        parts += [f".{inner}_tkeep({inner}_tkeep)", f".{inner}_tlast({outer}_tlast)"]
    return [*parts, f".{inner}_tvalid({outer}_tvalid)", f".{inner}_tready({outer}_tready)"]


def _wires(stream: AxiStream) -> str:
    """The wires between both sides of a stream of rows: each value to its container, or from it."""
    inner, outer, bits, size = stream.name, stream.bus, stream.bits, stream.container
    lines = f"  wire [{stream.lanes * bits - 1}:0] {inner}_tdata;\n  wire [{stream.lanes - 1}:0] {inner}_tkeep;\n"
    narrow, kept = f"{inner}_tdata[{bits}*lane +: {bits}]", f"{inner}_tkeep[lane]"
    if stream.inward:
        wide = f"{outer}_tdata[{8 * size}*lane +: {bits}]"
        lines += _LANES.format(
            lanes=stream.lanes, name=inner, data=narrow, value=wide, keep=kept, kept=f"{outer}_tkeep[{size}*lane]"
        )
        if 8 * size > bits or size > 1:  # linters want every bit read
            lines += f"  wire unused_{inner} = &{{{outer}_tdata, {outer}_tkeep}};\n"
        return lines
    more = 8 * size - bits
    above = f"{inner}_tdata[{bits}*lane + {bits - 1}]" if stream.signed else "1'b0"
    return lines + _LANES.format(
        lanes=stream.lanes,
        name=inner,
        data=f"{outer}_tdata[{8 * size}*lane +: {8 * size}]",
        value=f"{{{{{more}{{{above}}}}}, {narrow}}}" if more else narrow,
        keep=f"{outer}_tkeep[{size}*lane +: {size}]",
        kept=f"{{{size}{{{kept}}}}}",
    )
