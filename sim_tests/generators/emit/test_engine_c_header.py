"""The C header of an engine compiles, and agrees with the layouts of the RTL bit by bit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_c_header import engine_c_header
from tilewright.generators.emit.engine_map import causes
from tilewright.generators.emit.instruction_fields import records
from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.layout import HEAD_FIELDS, fields
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.register_map import REGISTERS, registers
from tilewright.sim_tests.generators.emit.engine_outputs import ENGINES, config
from tilewright.sim_tests.harness.tools import compiler

P = "TILEWRIGHT_ENGINE"
RECORD = {opcode: name for name, record in records().items() if name != "HEAD" for opcode in record.opcodes}


def run(folder: Path, header: str, body: str) -> list[str]:
    """What a C program prints that includes the header."""
    (folder / "engine.h").write_text(header)
    (folder / "main.c").write_text(
        f'#include <stdio.h>\n#include "engine.h"\n#include "engine.h"\nint main(void) {{\n{body}\n}}\n'
    )
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]
    command = [*compiler().command, *flags, "-x", "c", "main.c", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run([str(folder / "main")], check=True, capture_output=True, text=True).stdout.splitlines()


def extremes(opcode: Opcode, which: str) -> dict[str, int]:
    """A value of each field of the instruction: the least, the greatest, or one that tells places apart."""
    random = np.random.default_rng(int(opcode) + 1)
    found = {}
    for name, field in fields(opcode).items():
        if name != "opcode":
            odd = int.from_bytes(random.bytes(8), "little") % (field.high - field.low + 1) + field.low
            found[name] = {"low": field.low, "high": field.high, "odd": odd}[which]
    return found


@pytest.mark.parametrize("which", ["low", "high", "odd"])
def test_instructions_are_those_of_the_encoder(which: str, tmp_path: Path) -> None:
    body, expected = ["uint32_t i[16]; int w;"], []
    for opcode in Opcode:
        values = extremes(opcode, which) | {"reserved": 0}
        head = {name: values.pop(name) for name in HEAD_FIELDS if name != "opcode"}
        body.append("for (w = 0; w < 16; w++) i[w] = 0;")
        body.append(f"{P}_PUT(i, HEAD_OPCODE, {P}_OPCODE_{opcode.name});")
        for record, named in (("HEAD", head), (RECORD.get(opcode, ""), values)):
            for name, value in named.items():
                label = f"{record}_{name.upper()}"
                # What was there before must not matter.
                body.append(f"{P}_PUT(i, {label}, ~0ull); {P}_PUT(i, {label}, (uint64_t){value % (1 << 64)}ull);")
                width = fields(opcode)[name].width
                expected.append(f"{value % (1 << width):x}")
                body.append(f'printf("%llx\\n", (unsigned long long){P}_GET(i, {label}));')
        body.append('for (w = 0; w < 16; w++) printf("%08x\\n", (unsigned)i[w]);')
        inner = {name: value for name, value in values.items() if name != "command_reserved"}
        data = (
            encode([Instruction(opcode, inner, head["waits"], head["gives"], head["tag"], head["core"])])
            .view("<u4")
            .ravel()
        )
        if "command_reserved" in values:
            field = fields(opcode)["command_reserved"]
            data[field.offset // 32] |= values["command_reserved"] << field.offset % 32
        expected += [f"{int(word):08x}" for word in data]
    assert run(tmp_path, engine_c_header(config(ENGINES[0])), "\n".join(body)) == expected


@pytest.mark.parametrize("name", ENGINES)
def test_registers_and_codes(name: str, tmp_path: Path) -> None:
    settings = config(name)
    expected: dict[str, int] = {}
    for register in registers(settings.cores):
        if not register.name.startswith("window_"):
            expected[f"REG_{register.name.upper()}"] = register.offset
        for field in register.fields:
            label = f"{register.name.upper()}_{field.name.upper()}"
            expected |= {f"{label}_SHIFT": field.low, f"{label}_MASK": (1 << field.width) - 1}
    expected |= {f"VALUE_{label.upper()}": value for label, value in constants(settings).items()}
    expected |= {f"CAUSE_{cause.name}": cause.value for cause in causes(settings)}
    expected |= {f"OPCODE_{opcode.name}": opcode.value for opcode in Opcode}
    expected |= {"ROWS": settings.rows, "COLS": settings.cols, "BUS_BYTES": settings.bus_bits // 8}
    expected |= {"A_WORDS": settings.scratchpads.a.words, "C_WORDS": settings.scratchpads.c.words}
    expected |= {"REG_WINDOW": 0x100, "INSTRUCTION_WORDS": 16, "STORE_FINISHED": 1}
    body = "".join(f'printf("%llu\\n", (unsigned long long){P}_{label});\n' for label in expected)
    assert run(tmp_path, engine_c_header(settings), body) == [str(value) for value in expected.values()]


def test_every_field_and_register_has_words() -> None:
    for record in records().values():
        assert all(record.meanings[name] for name in record.fields)
    assert all(register.meaning and all(f.meaning for f in register.fields) for register in REGISTERS)
    header = engine_c_header(config(ENGINES[0]))
    assert all(len(line) <= 160 for line in header.splitlines() if "Made by" not in line)
    names = re.findall(r"^#define (\w+)", header, re.M)
    assert len(names) == len(set(names))
