"""The ports of an engine, and what they mean."""

from __future__ import annotations

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.interface import PortNote
from tilewright.generators.emit.module import VerilogModule
from tilewright.hdl.engine.pins import STREAMS, split

_OWN = {
    "aclk": "clock of all ports, rising edge",
    "aresetn": "synchronous reset, active low, for at least one cycle after power-up",
    "irq": "a run has ended and its interrupt is enabled; high until that is cleared",
}
_SIGNALS = {
    "addr": "byte address",
    "len": "beats of the burst, less one",
    "size": "constant: beats of the full width",
    "burst": "constant: INCR",
    "cache": "constant: normal memory, not cacheable, bufferable",
    "prot": "constant: unprivileged, secure, data",
    "data": "data",
    "strb": "bytes that are written",
    "resp": "response",
    "last": "last beat of the burst",
    "valid": "offered",
    "ready": "taken",
}
_CHANNELS = {"aw": "write address", "w": "write data", "b": "write response", "ar": "read address", "r": "read data"}
_STREAM_SIGNALS = _SIGNALS | {"keep": "bytes that are there: all, but of a last beat those from the lowest on"}
_STREAM_SIGNALS |= {"last": "last beat of the packet"}
_PACKETS = dict(zip(STREAMS, ("program, a packet", "a packet of each load", "a packet of each store"), strict=True))


def engine_ports(top: VerilogModule) -> list[PortNote]:
    """Ports of the module ``top`` in their order."""
    return [PortNote(port.name, port.direction, port.width, "bits", _meaning(port.name)) for port in top.ports]


def _meaning(name: str) -> str:
    if name in _OWN:
        return _OWN[name]
    bus, channel, signal = split(name)
    if bus in STREAMS:
        return f"{_PACKETS[bus]}: {_STREAM_SIGNALS[signal]}"
    words = "not looked at" if (bus, signal) == ("s_axi", "prot") else _SIGNALS[signal]
    core = bus.removeprefix("m_axi").removeprefix("_")
    whose = "registers" if bus == "s_axi" else f"memory of core {core}" if core else "memory"
    return f"{whose}, {_CHANNELS[channel]}: {words}"


def data_ports(config: EngineConfig) -> tuple[str, str]:
    """The data ports, and what they are in words."""
    if config.streams:
        return "data ports", (
            f"{', '.join(STREAMS)}: AXI4-Stream of {config.bus_bits} bits with TKEEP and TLAST; a packet for the "
            "program, for each LOAD and for each STORE"
        )
    burst = "1 beat" if config.max_burst == 1 else f"up to {config.max_burst} beats"
    names = "m_axi" if config.cores == 1 else f"m_axi_0 to m_axi_{config.cores - 1}, one for each core"
    return "memory port", (
        f"{names}: AXI4, data of {config.bus_bits} bits, addresses of {config.address_bits}; one ID, in order; "
        f"INCR bursts of {burst} that cross no 4096 bytes; up to {config.outstanding} bursts of loads, and as many of "
        "stores, under way"
    )
