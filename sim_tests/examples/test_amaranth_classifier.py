"""A core inside a user's Amaranth design: simulated by Amaranth, and its Verilog by Verilator."""

from __future__ import annotations

import numpy as np
import pytest
from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from tilewright.hdl.systolic.records import COMMAND, TRANSFER
from tilewright.sim_tests.drivers.core_beats import matrix_beats, packed, record, words
from tilewright.sim_tests.examples.example import script
from tilewright.sim_tests.harness import Run, StreamPort, build

EXAMPLE = script("amaranth_classifier/classifier.py")


@pytest.mark.parametrize("seed", [1, 2])
def test_amaranth_simulates_the_design(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = rng.integers(-128, 128, (5, 6)), rng.integers(-128, 128, (6, 3))
    assert EXAMPLE["classify"](EXAMPLE["new"](), x, w) == np.argmax(x @ w, axis=1).tolist()


def test_the_first_of_equal_sums_is_the_class() -> None:
    x, w = np.array([[1, 0], [0, -1]]), np.array([[3, 3, 3], [1, 1, 1]])
    assert EXAMPLE["classify"](EXAMPLE["new"](), x, w) == [0, 0]


def test_its_verilog_does_the_same() -> None:
    design = EXAMPLE["new"]()
    streams = []
    for name, member in design.signature.members.items():
        width = Shape.cast(member.signature.members["payload"].shape).width
        payload = ((f"{name}__payload", width),)
        streams.append(
            StreamPort(name, "in" if member.flow is In else "out", payload, f"{name}__valid", f"{name}__ready")
        )
    made = build({"classifier.v": EXAMPLE["verilog"]()}, "classifier", streams)
    rng = np.random.default_rng(3)
    x, w = rng.integers(-128, 128, (7, 10)), rng.integers(-128, 128, (10, 3))
    run = Run(made)
    for name, matrix in (("load_a", x), ("load_b", w)):
        announced = record(TRANSFER, rows=matrix.shape[0], cols=matrix.shape[1])
        run.send(f"{name}_command", words(announced, TRANSFER.size)).expect(f"{name}_answer", 1)
        run.send(f"{name}_beats", packed(matrix_beats(matrix, 4), 8))
    command = words(record(COMMAND, m=7, n=3, k=10, dataflow=2), COMMAND.size)
    run.send("command", command, after={"load_a_answer": 1, "load_b_answer": 1}).expect("completion", 1)
    read = words(record(TRANSFER, rows=7, cols=3), TRANSFER.size)
    run.send("read_c_command", read, after={"completion": 1}).expect("read_c_answer", 1).expect("classes", 7, stall=0.5)
    assert run.execute()["classes"].beats[:, 0].tolist() == np.argmax(x @ w, axis=1).tolist()
