"""A C program that builds records with the generated header agrees with the layouts of the RTL."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tilewright.generators.reference.records import Dataflow, Start, Status
from tilewright.hdl.systolic.records import ANSWER, COMMAND, TRANSFER
from tilewright.sim_tests.drivers.core_beats import fields, record, words
from tilewright.sim_tests.examples.example import EXAMPLES, core
from tilewright.sim_tests.harness.tools import compiler


def shown(name: str, value: int, bits: int) -> str:
    return " ".join([name, *(f"{int(word):08x}" for word in words(value, bits)[0])])


def test_records_are_those_of_the_rtl(tmp_path: Path) -> None:
    (tmp_path / "gemm4.h").write_text(core("matmul_top/gemm4.toml")["gemm4.h"])
    program = tmp_path / "records"
    # The C++ compiler that simulation needs anyway; as C, which is what the header is.
    flags = ["-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror"]
    source = str(EXAMPLES / "c_header" / "records.c")
    subprocess.run([*compiler().command, *flags, f"-I{tmp_path}", source, "-o", str(program)], check=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    transfer = record(TRANSFER, base=3, rows=5, cols=7, tag=1)
    command = record(
        COMMAND, m=5, n=6, k=7, a_base=3, bias_base=20, dataflow=Dataflow.WS, start=Start.BIAS, region=1, tag=4
    )
    answer = fields(ANSWER, 0x0404)
    assert answer == {"status": Status.A_OUT_OF_RANGE, "tag": 4}
    assert printed == [
        shown("load_a", transfer, TRANSFER.size),
        shown("command", command, COMMAND.size),
        "command 4: A does not lie in its scratchpad",
    ]
