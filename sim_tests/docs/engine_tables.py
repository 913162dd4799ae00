"""What the outside of an engine is made of: registers, instructions, causes, counters, parameters."""

from __future__ import annotations

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.presets import engine_presets
from tilewright.generators.config.rules import Rule
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.comment import bits
from tilewright.generators.emit.instruction_fields import records
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.listing import listing
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.engine.records import SLOTS, Activation, Finishing, Opcode, Target
from tilewright.hdl.engine.register_map import COUNTERS, REGISTERS
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.docs.pages import table

# What each cause means, and what `detail` and `tag` of the register `status` then are.
_ILLEGAL = "an opcode, or a target, that is none of this engine's, or a matrix that is too large to be turned"
_STUCK = "a bit for each of: load, compute, store sequencer lacks a token; read, write under way on the bus"
_PACKET = ", ".join(f"{fault.value} {fault.name}" for fault in PacketFault if fault)
_STREAMS = "[streams](#axi4-stream-ports)"
_CAUSES = {
    Cause.NONE: ("the run has not failed", "0", "0"),
    Cause.ILLEGAL_INSTRUCTION: (_ILLEGAL, "0", "its own"),
    Cause.LOAD_REFUSED: ("the core refused a load", "the core's status", "of the load"),
    Cause.GEMM_REFUSED: ("the core refused a command", "the core's status", "of the GEMM"),
    Cause.STORE_REFUSED: ("the core refused a read-out", "the core's status", "of the store"),
    Cause.FETCH_ERROR: ("memory answered with an error when the program was read", "AXI's response", "0"),
    Cause.READ_ERROR: ("memory answered with an error when data were read", "AXI's response", "of the load"),
    Cause.WRITE_ERROR: ("memory answered with an error when data were written", "AXI's response", "of the store"),
    Cause.TOO_MANY_TOKENS: ("a 64th token of a kind was given", "0", "0"),
    Cause.STUCK: ("nothing moved for as long as the watchdog allows", _STUCK, "0"),
    Cause.ABORTED: ("1 was written to `abort`", "0", "0"),
    Cause.PROGRAM_PACKET: (f"{_STREAMS}: the packet of the program was not as it must be", _PACKET, "0"),
    Cause.LOAD_PACKET: (f"{_STREAMS}: the packet of a load was not as it must be", _PACKET, "of the load"),
}  # fmt: skip
_OPCODES = {
    Opcode.END: ("–", "HEAD", "ends the program; what comes after it is not carried out"),
    Opcode.LOAD_TENSOR: ("load", "TENSOR", f"describes a tensor to loads, in one of {SLOTS} slots"),
    Opcode.LOAD: (
        "load",
        "BOX",
        "moves a matrix, a part of a tensor, from memory into a scratchpad, the channel memory or to be added",
    ),
    Opcode.GEMM: ("compute", "GEMM", "a command of the core: C = start + A @ B in the scratchpads"),
    Opcode.FINISH: ("store", "FINISH", "says how results are finished that are stored from now on"),
    Opcode.STORE_TENSOR: ("store", "TENSOR", f"describes a tensor to stores, in one of {SLOTS} slots of their own"),
    Opcode.STORE: ("store", "BOX", "moves a matrix from a region of C to memory, as it is or finished"),
    Opcode.BARRIER: ("–", "HEAD", "of several cores: what follows begins when all that was before has ended"),
}


def engine_registers() -> str:
    """The register map; counters and window are in a line each."""
    lines: list[tuple[object, ...]] = []
    for register in REGISTERS:
        stem = register.name.removesuffix("_low").removesuffix("_high")
        if stem in COUNTERS:
            continue
        if register.name.startswith("window_"):
            continue
        lines.append((f"0x{register.offset:03X}", f"`{register.name}`", register.access, "", register.meaning))
        for field in register.fields:
            lines.append(("", f"`{field.name}`", "", bits(field.low, field.width), field.meaning))
    lines.append(_run("counters, 64 bits each: see below", [r.offset for r in REGISTERS if _is_counter(r.name)], "ro"))
    window = [r for r in REGISTERS if r.name.startswith("window_")]
    lines.append(_run(f"`window_0` on: {window[0].meaning}", [r.offset for r in window], "wo"))
    return table(("offset", "register, field", "access", "bits", "meaning"), lines)


def _is_counter(name: str) -> bool:
    return name.rpartition("_")[0] in COUNTERS


def _run(meaning: str, offsets: list[int], access: str) -> tuple[object, ...]:
    return f"0x{min(offsets):03X} to 0x{max(offsets):03X}", "", access, "", meaning


def engine_counters() -> str:
    """Counters with their offsets."""
    offsets = {register.name: register.offset for register in REGISTERS}
    lines = [(f"0x{offsets[f'{name}_low']:03X}", f"`{name}`", meaning) for name, meaning in COUNTERS.items()]
    return table(("offset of the low word", "counter", "counts"), lines)


def engine_opcodes() -> str:
    """Instructions."""
    lines = [(op.value, f"`{op.name}`", _OPCODES[op][0], f"`{_OPCODES[op][1]}`", _OPCODES[op][2]) for op in Opcode]
    return table(("opcode", "name", "sequencer", "fields", "does"), lines, right=(0,))


def engine_instructions() -> str:
    """The records of all instructions."""
    parts = []
    for name, record in records().items():
        lines = []
        for field, place in record.fields.items():
            signed = "signed" if place.signed else ""
            lines.append((f"`{field}`", bits(place.offset, place.width), signed, record.meanings[field]))
        begins = ", ".join(f"`{op.name}`" for op in record.opcodes)
        head = "begins every instruction" if name == "HEAD" else begins
        parts.append(f"`{name}`: {head}\n\n{table(('field', 'bits', '', 'meaning'), lines)}")
    for title, values in (("TARGET", Target), ("FINISHING", Finishing), ("ACTIVATION", Activation)):
        parts.append(f"`{title}`: {', '.join(f'{value.value} {value.name}' for value in values)}\n")
    return "\n".join(parts)


def engine_causes() -> str:
    """Why runs fail."""
    lines = [(cause.value, f"`{cause.name}`", *_CAUSES[cause]) for cause in Cause]
    statuses = ", ".join(f"{status.value} {status.name}" for status in Status)
    return f"{table(('cause', 'name', 'when', 'detail', 'tag'), lines, right=(0,))}\nThe core's statuses: {statuses}.\n"


def engine_parameters() -> str:
    """The fields that an engine has beside those of its core."""
    lines = []
    for name, field in EngineConfig.model_fields.items():
        if name in SystolicConfig.model_fields:
            continue
        rule = next(entry for entry in field.metadata if isinstance(entry, Rule))
        lines.append((f"`{name}`", rule.text, f"`{str(field.default).lower()}`", field.description))
    return table(("field", "legal values", "default", "meaning"), lines)


def engine_preset_table() -> str:
    """Presets of engines."""
    lines = []
    for preset in engine_presets():
        c = preset.config
        numbers = f"{c.a} x {c.b} → {c.acc}, {c.result}"
        port = f"{c.bus_bits} bits{', streams' if c.streams else ''}"
        lines.append(
            (
                f"`{preset.name}`",
                f"{c.rows} x {c.cols}",
                c.dataflow,
                numbers,
                port,
                f"{c.memory_bytes:,}",
                preset.purpose,
            )
        )
    heads = ("preset", "array", "dataflow", "numbers", "port", "buffers (bytes)", "purpose")
    return table(heads, lines, right=(5,))


def engine_listing() -> str:
    """A program of three tiles: C of 12 x 4, 4 rows each, with results finished to int8."""
    config = EngineConfig(rows=4, cols=4, a_words=60, b_words=50, c_words=42)
    a, b, c = Matrix(0x1000, 12, 12, 1), Matrix(0x2000, 12, 4, 1), Matrix(0x3000, 12, 4, 1)
    finish = Finish(multiplier=1 << 30, shift=36, zero_point=0, low=-128, high=127)
    tiling = Tiling("ws", "mn", 4, 4, 12, b_resident=True, b_stages=1)
    program = gemm_program(Product(a, b, c, finish=finish), tiling, config)
    return f"```text\n{listing(program)}```\n"
