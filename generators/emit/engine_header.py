"""The comment at the head of an engine's Verilog."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.comment import FIXED, count, table, wrapped
from tilewright.generators.emit.engine_map import causes, registers
from tilewright.generators.emit.engine_ports import data_ports, engine_ports
from tilewright.generators.emit.header import parameters
from tilewright.generators.emit.module import VerilogModule
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.register_map import ADDRESS_BITS, COUNTERS
from tilewright.hdl.numeric import Format, container_bytes


def engine_header(config: EngineConfig, top: VerilogModule) -> str:
    """What the engine is, how to make it again, its clock, registers and ports."""
    return "".join(f"// {line}".rstrip() + "\n" for line in _lines(config, top))


def _lines(config: EngineConfig, top: VerilogModule) -> Iterable[str]:
    size = f"{count(config.rows, 'row')} x {count(config.cols, 'column')} of processing elements"
    way = "in packets" if config.streams else "from memory to memory"
    yield f"{config.module_name}: GEMM engine, C = start + A @ B {way}, {size}"
    yield ""
    yield from wrapped("Made by", re.sub(" (?!--)", FIXED, canonical_command(config)))
    yield "This generated HDL belongs to its user, who may use it in any way, without any condition."
    yield ""
    yield from table([*parameters(config), *_own_parameters(config)])
    yield ""
    clock = "one clock, aclk; aresetn is synchronous to it and active low. No port may be driven from another clock."
    yield from wrapped("Clocking", clock)
    yield ""
    yield f"Registers of s_axi, AXI4-Lite of 32 bits, {1 << ADDRESS_BITS} bytes:"
    yield from table(list(registers_in_short(config)))
    yield ""
    opcodes = [opcode for opcode in Opcode if config.cores > 1 or opcode != Opcode.BARRIER]
    yield from wrapped("Opcodes of instructions", ", ".join(f"{op.value}{FIXED}{op.name}" for op in opcodes))
    yield from wrapped(
        "Causes of failed runs", ", ".join(f"{cause.value}{FIXED}{cause.name}" for cause in causes(config))
    )
    yield "Records of instructions: see the C header."
    yield ""
    yield "Ports:"
    ports = engine_ports(top)
    yield from table([(f"{port.direction:6} {port.name} {port.width}", port.meaning) for port in ports])


def _own_parameters(config: EngineConfig) -> Iterable[tuple[str, str]]:
    results = f"{config.acc} as they are, {_bytes(config.acc)}, or finished: {config.result}, {_bytes(config.result)}"
    if config.functions:
        results += f", also of {', '.join(config.functions)}"
    if config.channels:
        results += f"; multipliers and shifts of {count(config.channels, 'channel')}"
    more = {
        f"row sums of {count(config.row_sums, 'row')}": config.row_sums,
        "sums of two tensors": config.adds,
        f"2 x 2 max-pooling of {count(config.pool_words, 'word')}": config.pool_words,
        "any function out of a table": config.table,
    }
    results += "".join(f"; {words}" for words, built in more.items() if built)
    yield "in memory", f"A {_bytes(config.a)}, B {_bytes(config.b)} a value, little-endian"
    yield "results", results
    if config.cores > 1:
        yield "cores", f"{config.cores}, each with an array, scratchpads, sequencers and a memory port of its own"
    yield data_ports(config)
    if config.transposer:
        yield "transposer", f"loads of A and B may turn matrices of {count(config.transposer, 'column')} in memory"
    yield "buffers", f"{config.memory_bytes:,} bytes on chip"


def _bytes(fmt: Format) -> str:
    return count(container_bytes(fmt), "byte")


def registers_in_short(config: EngineConfig) -> Iterable[tuple[str, str]]:
    """(offset and access, name and meaning) of each register; counters and window in a line each."""
    first_counter = next(iter(COUNTERS))
    for register in registers(config):
        label = f"0x{register.offset:03x} {register.access}"
        stem = register.name.removesuffix("_low").removesuffix("_high")
        if stem in COUNTERS:
            if register.name == f"{first_counter}_low":
                last = max(r.offset for r in registers(config) if r.name.endswith("_high") and r.name[:-5] in COUNTERS)
                yield f"{label} .. 0x{last:03x}", f"counters, 64 bits each, low word first: {', '.join(COUNTERS)}"
        elif register.name.startswith("window_"):
            if register.name == "window_0":
                last = max(r.offset for r in registers(config))
                yield (
                    f"{label} .. 0x{last:03x}",
                    "window: the words of an instruction, the last one puts it into the queue",
                )
        else:
            fields = ", ".join(f"[{f.low + f.width - 1}:{f.low}] {f.name}" for f in register.fields)
            yield label, f"{register.name}{f': {fields}' if fields else f': {register.meaning}'}"
