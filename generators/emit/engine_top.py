"""The top module of an engine: clock, reset and ports with the names and attributes that vendors' tools recognise."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.generators.emit.module import Port, VerilogModule
from tilewright.hdl.engine.pins import STREAMS, split

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
    buses = interfaces(pins)
    lines = [f"{_attribute(port.name, buses)}  {port.declare()}" for port in outside]
    inner = {"clk": "aclk", "rst": "~aresetn"}
    connections = [f"    .{port.name}({inner.get(port.name, port.name)})" for port in pins.ports]
    text = (
        f"// The engine as vendors' tools see it: {_data_ports(buses)}, AXI4-Lite subordinate s_axi, interrupt.\n"
        f"module {name} (\n" + ",\n".join(lines) + "\n);\n"
        f"  {pins.name} pins (\n" + ",\n".join(connections) + "\n  );\nendmodule\n"
    )
    return VerilogModule(name, tuple(outside), text)


def interfaces(module: VerilogModule) -> list[str]:
    """The bus interfaces of an engine's outside, the registers first, called as its ports are."""
    return list(dict.fromkeys(split(port.name)[0] for port in module.ports if "_" in port.name))


def _data_ports(buses: Sequence[str]) -> str:
    managers = [bus for bus in buses if bus.startswith("m_axi")]
    if managers[0] in STREAMS:
        return "AXI4-Stream ports"
    return "AXI4 manager m_axi" if len(managers) == 1 else f"AXI4 managers {managers[0]} to {managers[-1]}"


def _attribute(port: str, buses: Sequence[str]) -> str:
    if port == "aclk":
        names = ":".join(bus.upper() for bus in buses)
        return (
            '  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK", '
            f'X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF {names}, ASSOCIATED_RESET aresetn" *)\n'
        )
    known = {"aresetn": _RESET, "irq": _INTERRUPT}
    if port in known:
        return known[port]
    bus, channel, signal = split(port)
    kind = "axis" if bus in STREAMS else "aximm"
    name = f"{bus.upper()} {channel.upper()}{signal.upper()}"
    return f'  (* X_INTERFACE_INFO = "xilinx.com:interface:{kind}:1.0 {name}" *)\n'
