"""The top module of an engine: clock, reset and ports with the names and attributes that vendors' tools recognise."""

from __future__ import annotations

from tilewright.generators.emit.module import Port, VerilogModule

_BUSES = {"s_axi": "S_AXI", "m_axi": "M_AXI"}
_CLOCK = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK", '
    'X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF S_AXI:M_AXI, ASSOCIATED_RESET aresetn" *)\n'
)
_RESET = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST", '
    'X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)\n'
)
_INTERRUPT = (
    '  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT", '
    'X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)\n'
)


def engine_top(name: str, pins: VerilogModule) -> VerilogModule:
    """Module ``name`` around ``pins``: ``aclk`` and the synchronous ``aresetn``, active low, in place of its own."""
    outside = [Port("aclk", "input", 1), Port("aresetn", "input", 1)]
    outside += [port for port in pins.ports if port.name not in ("clk", "rst")]
    lines = [f"{_attribute(port.name)}  {port.declare()}" for port in outside]
    inner = {"clk": "aclk", "rst": "~aresetn"}
    connections = [f"    .{port.name}({inner.get(port.name, port.name)})" for port in pins.ports]
    text = (
        "// The engine as vendors' tools see it: AXI4 manager m_axi, AXI4-Lite subordinate s_axi, interrupt.\n"
        f"module {name} (\n" + ",\n".join(lines) + "\n);\n"
        f"  {pins.name} pins (\n" + ",\n".join(connections) + "\n  );\nendmodule\n"
    )
    return VerilogModule(name, tuple(outside), text)


def _attribute(port: str) -> str:
    known = {"aclk": _CLOCK, "aresetn": _RESET, "irq": _INTERRUPT}
    if port in known:
        return known[port]
    bus, signal = port[:5], port[6:].upper()
    kind = "aximm"
    return f'  (* X_INTERFACE_INFO = "xilinx.com:interface:{kind}:1.0 {_BUSES[bus]} {signal}" *)\n'
