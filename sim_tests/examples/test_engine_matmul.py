"""The example of a product on an engine: its C program makes what its Verilog bench runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.toml_file import read_toml
from tilewright.generators.emit.engine_files import generate_engine
from tilewright.generators.program.encode import decode
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.sim_tests.examples.example import EXAMPLES
from tilewright.sim_tests.harness.tools import compiler, icarus

FOLDER = EXAMPLES / "engine_matmul"
CONFIG = engine_config(read_toml(FOLDER / "engine4.toml"))
M, N, K = 5, 6, 7
A, B, C = 0x400, 0x800, 0xC00


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated engine and what the C program has written."""
    folder = tmp_path_factory.mktemp("engine_matmul")
    for name, text in generate_engine(CONFIG).items():
        (folder / name).write_text(text)
    compiled(folder, "memory_image", FOLDER / "matmul.c", FOLDER / "memory_image.c")
    subprocess.run([str(folder / "memory_image")], cwd=folder, check=True)
    return folder


def compiled(folder: Path, program: str, *sources: Path) -> None:
    """Compiles ``sources`` with the C++ compiler that simulation needs anyway; as C, which is what they are."""
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", f"-I{folder}", f"-I{FOLDER}"]
    each = [word for source in sources for word in ("-x", "c", str(source))]  # it takes -x for the next file only
    subprocess.run([*compiler().command, *flags, *each, "-o", program], cwd=folder, check=True)


def words(path: Path) -> np.ndarray:
    return np.array([int(line, 16) for line in path.read_text().split()], dtype="<u4")


def test_the_program_multiplies(made: Path) -> None:
    memory = words(made / "memory.mem").view(np.uint8)
    a = memory[A : A + M * K].view(np.int8).reshape(M, K).astype(np.int64)
    b = memory[B : B + K * N].view(np.int8).reshape(K, N).astype(np.int64)
    expected = words(made / "expected.mem").view("<i4").reshape(M, N)
    np.testing.assert_array_equal(expected, a @ b)
    program = memory[: 64 * 8].copy()
    assert [i.opcode.name for i in decode(program)] == [
        "LOAD_TENSOR", "LOAD_TENSOR", "STORE_TENSOR", "LOAD", "LOAD", "GEMM", "STORE", "END"
    ]  # fmt: skip
    ReferenceEngine(CONFIG, memory).check(program, range(5))
    np.testing.assert_array_equal(memory[C : C + 4 * M * N].view("<i4").reshape(M, N), expected)


@pytest.mark.parametrize("broken", [False, True])
def test_the_bench_passes_and_can_fail(made: Path, tmp_path: Path, broken: bool) -> None:
    icarus()
    for name in ("memory.mem", "expected.mem"):
        (tmp_path / name).write_text((made / name).read_text())
    if broken:
        lines = (made / "expected.mem").read_text().splitlines()
        lines[-1] = f"{int(lines[-1], 16) ^ 1:08x}"
        (tmp_path / "expected.mem").write_text("\n".join(lines) + "\n")
    sources = [str(FOLDER / "tb_engine4.v"), str(FOLDER / "axi_memory.v"), str(made / "engine4.v")]
    subprocess.run(["iverilog", "-g2005", "-Wall", "-o", "sim", *sources], cwd=tmp_path, check=True)
    done = subprocess.run(["vvp", "sim"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    assert ("PASS: 30 values" in done.stdout) != broken, done.stdout
    assert ("FAIL" in done.stdout) == broken


def test_the_driver_writes_the_registers_and_reads_the_status(made: Path) -> None:
    (made / "run.c").write_text(RUN)
    compiled(made, "run", FOLDER / "matmul.c", made / "run.c")
    said = subprocess.run([str(made / "run")], capture_output=True, text=True, check=True).stdout.split()
    assert said == ["-1", "0", "3000", "1", "8", "1", "4020704"]


def test_the_commands_of_the_guide_do_what_it_says(tmp_path: Path) -> None:
    icarus()
    guide = (EXAMPLES.parent / "docs" / "integration.md").read_text().split("## My own matrix product over AXI")[1]
    commands = re.findall(r"^    (\S.*)$", guide, re.MULTILINE)
    assert len(commands) == 5
    for path in FOLDER.iterdir():
        shutil.copy(path, tmp_path)
    cli = f'tilewright() {{ "{sys.executable}" -c "from tilewright.generators.cli import main; main()" "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-e", "-c", cli + "\n".join(commands)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "PASS: 30 values" in done.stdout and "`PASS: 30 values`" in guide


RUN = """
#include <stdio.h>
#include "matmul.h"
static uint32_t registers[ENGINE4_REGISTER_BYTES / 4];
#define AT(name) registers[ENGINE4_REG_##name / 4]
int main(void) {
  AT(INTERRUPT) = 1; /* as if the run had ended */
  AT(STATUS) = 1u << ENGINE4_STATUS_DONE_SHIFT;
  AT(IDENTIFICATION) = ENGINE4_VALUE_IDENTIFICATION;
  printf("%lld ", (long long)matmul_run(registers, 0x100003000, MATMUL_INSTRUCTIONS));
  AT(DIGEST) = ENGINE4_VALUE_DIGEST;
  printf("%lld ", (long long)matmul_run(registers, 0x100003000, MATMUL_INSTRUCTIONS));
  printf("%x %u %u %u ", AT(PROGRAM_LOW), AT(PROGRAM_HIGH), AT(PROGRAM_COUNT), AT(CONTROL));
  AT(STATUS) = 4u | ENGINE4_CAUSE_WRITE_ERROR << ENGINE4_STATUS_CAUSE_SHIFT | 2u << ENGINE4_STATUS_DETAIL_SHIFT
    | 4u << ENGINE4_STATUS_TAG_SHIFT;
  printf("%llx", (unsigned long long)matmul_run(registers, 0x100003000, MATMUL_INSTRUCTIONS));
  return 0;
}
"""
