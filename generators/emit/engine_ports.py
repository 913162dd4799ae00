"""The ports of an engine, and what they mean."""

from __future__ import annotations

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.interface import PortNote
from tilewright.generators.emit.module import VerilogModule

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
_BUSES = {"s_axi": "registers", "m_axi": "memory"}


def engine_ports(top: VerilogModule) -> list[PortNote]:
    """Ports of the module ``top`` in their order."""
    return [PortNote(port.name, port.direction, port.width, "bits", _meaning(port.name)) for port in top.ports]


def _meaning(name: str) -> str:
    if name in _OWN:
        return _OWN[name]
    bus, rest = name[:5], name[6:]
    channel = next(
        each for each in ("aw", "ar", "w", "b", "r") if rest.startswith(each) and rest[len(each) :] in _SIGNALS
    )
    signal = rest[len(channel) :]
    words = "not looked at" if (bus, signal) == ("s_axi", "prot") else _SIGNALS[signal]
    return f"{_BUSES[bus]}, {_CHANNELS[channel]}: {words}"


def memory_port(config: EngineConfig) -> str:
    """The memory port in words."""
    burst = "1 beat" if config.max_burst == 1 else f"up to {config.max_burst} beats"
    return (
        f"m_axi: AXI4, data of {config.bus_bits} bits, addresses of {config.address_bits}; one ID, in order; "
        f"INCR bursts of {burst} that cross no 4096 bytes; up to {config.outstanding} bursts of loads, and as many of "
        "stores, under way"
    )
