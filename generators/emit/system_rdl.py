"""The register map as SystemRDL 2.0."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import registers
from tilewright.generators.emit.register_fields import fields_of
from tilewright.hdl.engine.register_map import WORD_BYTES, Access, Register

_ACCESS: dict[Access, str] = {
    "ro": "sw = r; hw = w;",
    "rw": "sw = rw; hw = r;",
    "wo": "sw = w; hw = r;",
    "w1c": "sw = rw; onwrite = woclr; hw = w;",
}
_CONSTANT = "sw = r; hw = na;"


def system_rdl(config: EngineConfig) -> str:
    """Text of ``<module_name>.rdl``: an addrmap of the module's name."""
    name = config.module_name
    lines = [
        f"// Registers of {name}: {canonical_command(config)}",
        "// This file belongs to its user.",
        f"addrmap {name} {{",
        f'  name = "{name}";',
        '  desc = "Registers of a GEMM engine, behind AXI4-Lite.";',
        "  littleendian;",
        f"  default regwidth = {8 * WORD_BYTES};",
        f"  default accesswidth = {8 * WORD_BYTES};",
    ]
    values = constants(config)
    for register in registers(config):
        lines += ["", *_register(register, values.get(register.name))]
    return "\n".join([*lines, "};", ""])


def _register(register: Register, value: int | None) -> Iterable[str]:
    yield "  reg {"
    yield f'    desc = "{_quoted(register.meaning)}";'
    for field in fields_of(register):
        access = _ACCESS[register.access] if value is None else _CONSTANT
        reset = "" if register.access == "wo" else " = 0"
        if value is not None:
            reset = f" = 0x{value >> field.low & ((1 << field.width) - 1):x}"
        high = field.low + field.width - 1
        yield f'    field {{ desc = "{_quoted(field.meaning)}"; {access} }} {field.name}[{high}:{field.low}]{reset};'
    yield f"  }} {register.name} @ 0x{register.offset:03x};"


def _quoted(words: str) -> str:
    return words.replace("\\", "\\\\").replace('"', '\\"')
