"""The top module of an engine: clock, reset and ports with the names and attributes that vendors' tools recognise."""

from __future__ import annotations

from tilewright.generators.emit.engine_ports import bus_and_signal
from tilewright.generators.emit.module import Port, VerilogModule
from tilewright.hdl.engine.pins import STREAMS

_CLOCK = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK", '
    'X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF {buses}, ASSOCIATED_RESET aresetn" *)\n'
)
_RESET = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST", '
    'X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)\n'
)
_INTERRUPT = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT", '
    'X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)\n'
)


_WORDS = {
    "m_axi": "AXI4 manager m_axi, AXI4-Lite subordinate s_axi, interrupt",
    "m_axis_store": "AXI4-Stream ports, AXI4-Lite subordinate s_axi, interrupt",
}


def buses(pins: VerilogModule) -> list[str]:
    """The buses among the ports of ``pins``, as vendors' tools call them."""
    found = dict.fromkeys(bus_and_signal(port.name)[0] for port in pins.ports if "_" in port.name)
    return [bus.upper() for bus in found]


def engine_top(name: str, pins: VerilogModule) -> VerilogModule:
    """Module ``name`` around ``pins``: ``aclk`` and the synchronous ``aresetn``, active low, in place of its own."""
    outside = [Port("aclk", "input", 1), Port("aresetn", "input", 1)]
    outside += [port for port in pins.ports if port.name not in ("clk", "rst")]
    found = buses(pins)
    lines = [f"{_attribute(port.name, found)}  {port.declare()}" for port in outside]
    words = _WORDS["m_axi" if "M_AXI" in found else "m_axis_store"]
    inner = {"clk": "aclk", "rst": "~aresetn"}
    connections = [f"    .{port.name}({inner.get(port.name, port.name)})" for port in pins.ports]
    text = (
        f"// The engine as vendors' tools see it: {words}.\n"
        f"module {name} (\n" + ",\n".join(lines) + "\n);\n"
        f"  {pins.name} pins (\n" + ",\n".join(connections) + "\n  );\nendmodule\n"
    )
    return VerilogModule(name, tuple(outside), text)


def _attribute(port: str, found: list[str]) -> str:
    known = {"aclk": _CLOCK.format(buses=":".join(found)), "aresetn": _RESET, "irq": _INTERRUPT}
    if port in known:
        return known[port]
    bus, signal = bus_and_signal(port)
    kind = "axis" if bus in STREAMS else "aximm"
    return f'  (* X_INTERFACE_INFO = "xilinx.com:interface:{kind}:1.0 {bus.upper()} {signal.upper()}" *)\n'
