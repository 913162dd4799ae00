"""Puts a protocol checker on every stream of a design in simulation, in a wrapper around the unchanged Verilog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from amaranth.hdl import unsigned

from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.checker import Checker
from tilewright.sim_tests.harness.ports import Interface, StreamPort, make_interface

#: The output that must stay 0: a stream, in or out, broke a rule.
ERROR = "protocol_error"


def watched(sources: Mapping[str, str], top: str, streams: Sequence[StreamPort]) -> tuple[dict[str, str], Interface]:
    """``sources`` and a module around ``top`` with the same ports, and an output that stays 0 while all keep the rules.

    Payloads of the signals ``tdata``, ``tkeep``, ``tlast`` are checked as packets of kept lanes, all others as words.
    """
    name = f"{top}_watched"
    checkers = {port.name: _checker(top, port) for port in streams}
    text = "\n".join(sorted({module for _, module in checkers.values()})) + _wrapper(name, top, streams, checkers)
    interface = make_interface(name, streams, zeros=[(ERROR, 1)])
    return {**sources, f"{name}.v": text}, interface


def _checker(top: str, port: StreamPort) -> tuple[str, str]:
    """Name and text of the module that checks ``port``."""
    parts = {signal.rsplit("_", 1)[-1]: width for signal, width in port.signals}
    lanes = parts.get("tkeep", 0)
    return _emitted(f"{top}_watched", port.bits, lanes, parts["tdata"] // lanes if lanes else 0)


@cache
def _emitted(prefix: str, bits: int, lanes: int, width: int) -> tuple[str, str]:
    emitter = Emitter(prefix)
    checker = emitter.emit(Checker(beat_layout(lanes, width) if lanes else unsigned(bits)))
    return checker.module, "".join(module.text for module in emitter.modules())


def _wrapper(name: str, top: str, streams: Sequence[StreamPort], checkers: Mapping[str, tuple[str, str]]) -> str:
    ports = ["input wire clk", "input wire rst"]
    connections = [".clk(clk)", ".rst(rst)"]
    instances = []
    for port in streams:
        forward, backward = ("input", "output") if port.direction == "in" else ("output", "input")
        ports += [f"{forward} wire [{width - 1}:0] {signal}" for signal, width in port.signals]
        ports += [f"{forward} wire {port.valid}", f"{backward} wire {port.ready}"]
        connections += [f".{signal}({signal})" for signal in port.ports]
        payload = ", ".join(signal for signal, _ in reversed(port.signals))
        instances.append(
            f"  wire {port.name}_error;\n"
            f"  {checkers[port.name][0]} check_{port.name} (\n"
            f"    .clk(clk), .rst(rst), .valid({port.valid}), .ready({port.ready}), .payload({{{payload}}}),\n"
            f"    .error({port.name}_error)\n  );\n"
        )
    errors = ", ".join(f"{port.name}_error" for port in streams)
    return (
        f"\nmodule {name} (\n  " + ",\n  ".join([*ports, f"output wire {ERROR}"]) + "\n);\n"
        f"  {top} dut (\n    "
        + ",\n    ".join(connections)
        + "\n  );\n"
        + "".join(instances)
        + f"  assign {ERROR} = |{{{errors}}};\nendmodule\n"
    )
