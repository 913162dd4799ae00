"""The C header of an engine: registers, records of instructions, codes, sizes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.c_header import WORD, codes, sizes
from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import causes, registers
from tilewright.generators.emit.instruction_fields import records
from tilewright.generators.program.layout import Field
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.engine.records import INSTRUCTION_BITS, SLOTS, TOKENS, Activation, Finishing, Opcode, Target
from tilewright.hdl.engine.register_map import ADDRESS_BITS, WINDOW_WORDS
from tilewright.hdl.numeric import code_format, container_bytes
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.records import Start, Status

_ENUMERATIONS = {
    "OPCODE": Opcode,
    "TARGET": Target,
    "FINISHING": Finishing,
    "ACTIVATION": Activation,
    "START": Start,
    "DATAFLOW": Dataflow,
    "CAUSE": Cause,
    "STATUS": Status,
}

_HEAD = """\
/* Registers, instructions, codes and sizes of {name}.
   Made by: {command}
   This file belongs to its user.

   {prefix}_REG_X is the byte offset of register X; a field of it is
   (value >> {prefix}_X_FIELD_SHIFT) & {prefix}_X_FIELD_MASK.
   {prefix}_VALUE_X is what register X reads, of those that describe the engine.

   An instruction is {words} 32-bit words, little-endian, the lowest first. Fields are whole numbers of bits and may
   cross a word: set and get them with {prefix}_PUT(instruction, BOX_ROWS, 5) and {prefix}_GET(instruction, BOX_ROWS).
   Negative values are two's complement in the width of the field. A field that is not told is 0. */
"""

_FUNCTIONS = """\
/* Sets a field; the value is cut to its mask. */
static inline void {lower}_put(uint32_t *instruction, unsigned word, unsigned shift, uint64_t mask,
    uint64_t value) {{
  for (value &= mask; mask != 0; word++) {{
    instruction[word] = (instruction[word] & ~(uint32_t)(mask << shift)) | (uint32_t)(value << shift);
    mask >>= 32 - shift;
    value >>= 32 - shift;
    shift = 0;
  }}
}}

/* The value of a field, without its sign. */
static inline uint64_t {lower}_get(const uint32_t *instruction, unsigned word, unsigned shift, uint64_t mask) {{
  uint64_t value = instruction[word] >> shift;
  unsigned bits = 32 - shift;
  if (mask >> bits) value |= (uint64_t)instruction[word + 1] << bits;
  if (bits < 32 && mask >> bits >> 32) value |= (uint64_t)instruction[word + 2] << (bits + 32);
  return value & mask;
}}

#define {prefix}_PUT(instruction, field, value) \\
  {lower}_put(instruction, {prefix}_##field##_WORD, {prefix}_##field##_SHIFT, {prefix}_##field##_MASK, \\
    (uint64_t)(value))
#define {prefix}_GET(instruction, field) \\
  {lower}_get(instruction, {prefix}_##field##_WORD, {prefix}_##field##_SHIFT, {prefix}_##field##_MASK)
"""


def engine_c_header(config: EngineConfig) -> str:
    """Text of ``<module_name>.h``, C99."""
    prefix = config.module_name.upper()
    names = {"name": config.module_name, "prefix": prefix, "lower": config.module_name.lower()}
    guard = f"{prefix}_H"
    head = _HEAD.format(command=canonical_command(config), words=INSTRUCTION_BITS // WORD, **names)
    lines = [f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "", *sizes(config, prefix)]
    lines += [*_own_sizes(config, prefix), "", "/* registers */", *_registers(config, prefix)]
    lines += ["", "/* instructions */", f"#define {prefix}_INSTRUCTION_WORDS {INSTRUCTION_BITS // WORD}"]
    lines += [f"#define {prefix}_TOKENS {TOKENS}", f"#define {prefix}_SLOTS {SLOTS}"]
    for record, content in records().items():
        begins = ", ".join(opcode.name for opcode in content.opcodes)
        lines += ["", f"/* {record}: {'begins every instruction' if record == 'HEAD' else begins} */"]
        for name, field in content.fields.items():
            lines += _field(f"{prefix}_{record}_{name.upper()}", field, content.meanings[name])
    for title, values in _enumerations(config).items():
        lines += ["", *codes(f"{prefix}_{title}", values)]
    lines += ["", f"#define {prefix}_STORE_RAW 0", f"#define {prefix}_STORE_FINISHED 1"]
    return "\n".join([head + "\n".join(lines), "", _FUNCTIONS.format(**names), f"#endif /* {guard} */", ""])


def _enumerations(config: EngineConfig) -> dict[str, Iterable[IntEnum]]:
    found: dict[str, Iterable[IntEnum]] = {**_ENUMERATIONS, "CAUSE": causes(config)}
    return found | ({"PACKET_FAULT": PacketFault} if config.streams else {})


def _own_sizes(config: EngineConfig, prefix: str) -> Iterable[str]:
    formats = {"A": config.a, "B": config.b, "ACC": config.acc, "RESULT": config.result}
    for matrix, fmt in formats.items():
        yield f"#define {prefix}_{matrix}_BYTES {container_bytes(fmt)} /* of a value in memory: {fmt} */"
    yield f"#define {prefix}_RESULT_BITS {code_format(config.result).width}"
    found = {"BUS_BYTES": config.bus_bits // 8, "ADDRESS_BITS": config.address_bits}
    if not config.streams:
        found |= {"MAX_BURST": config.max_burst, "OUTSTANDING": config.outstanding}
    found |= {"CHANNELS": config.channels, "CORES": config.cores}
    found |= {"ROW_SUMS": config.row_sums, "ADDS": int(config.adds), "POOL_WORDS": config.pool_words}
    found |= {"TABLE": int(config.table), "TRANSPOSER": config.transposer}
    for name, value in found.items():
        yield f"#define {prefix}_{name} {value}"


def _registers(config: EngineConfig, prefix: str) -> Iterable[str]:
    yield f"#define {prefix}_REGISTER_BYTES {1 << ADDRESS_BITS} /* address space of s_axi */"
    yield f"#define {prefix}_REG_WINDOW 0x100 /* {WINDOW_WORDS} words: an instruction; see window_0 and on */"
    for name, value in constants(config).items():
        yield f"#define {prefix}_VALUE_{name.upper()} 0x{value:08x}u"
    for register in registers(config):
        if register.name.startswith("window_"):
            continue
        meaning = f"{register.access}: {register.meaning}"
        yield f"#define {prefix}_REG_{register.name.upper()} 0x{register.offset:03x} /* {meaning} */"
        for field in register.fields:
            label = f"{prefix}_{register.name.upper()}_{field.name.upper()}"
            yield f"#define {label}_SHIFT {field.low} /* {field.meaning} */"
            yield f"#define {label}_MASK 0x{(1 << field.width) - 1:x}u"


def _field(label: str, field: Field, meaning: str) -> Iterable[str]:
    word, shift = divmod(field.offset, WORD)
    yield f"#define {label}_WORD {word} /* {meaning}{'; signed' if field.signed else ''} */"
    yield f"#define {label}_SHIFT {shift}"
    yield f"#define {label}_MASK 0x{(1 << field.width) - 1:x}{'ull' if field.width > WORD else 'u'}"
