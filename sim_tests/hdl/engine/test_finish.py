"""The whole path: parameters of channels, zero points of B, its memories filled beside it, orders that wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.reference.finish import row_sums
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.records import FINISH_ORDER, SUM_ORDER
from tilewright.hdl.numeric import BF16, FP32, FxFormat, IntFormat
from tilewright.hdl.systolic.records import ANSWER, TRANSFER
from tilewright.sim_tests.hdl.engine.finish_blocks import LOADS, PATHS, bench
from tilewright.sim_tests.hdl.engine.finish_runs import (
    PARAMETERS,
    Matrix,
    beats,
    block,
    feed,
    float_matrix,
    integer_matrix,
    record,
)
from tilewright.sim_tests.hdl.stream.bench import PACES
from tilewright.sim_tests.hdl.stream.packets import Beat

Codes = NDArray[np.int64]


class Filled:
    """A path whose memories are full: every channel has parameters of its own, every row a sum."""

    def __init__(self, label: str, seed: int) -> None:
        self.label, self.parameters, self.rng = label, PATHS[label], np.random.default_rng(seed)
        p, rng = self.parameters, self.rng
        self.load_lanes, self.values, self.a = LOADS[label]
        count = p.channel_words * p.lanes
        self.multipliers, self.shifts = rng.integers(0, 1 << 31, count), rng.integers(0, 63, count)
        self.multipliers[:4], self.shifts[:4] = (0, (1 << 31) - 1, (1 << 31) - 1, 1), (0, 62, 0, 0)
        self.matrix_a = rng.integers(self.a.min, self.a.max, (p.sum_rows, 3 * self.values + 1), endpoint=True)
        self.matrix_a[0], self.matrix_a[-1] = self.a.min, self.a.max
        self.sums = row_sums(self.matrix_a, p.sum_width)

    def matrix(self, rows: int, columns: int, *, channel: int | None = None, row: int | None = None) -> Matrix:
        """A random matrix, with ``channel`` the word of its first column and ``row`` the entry of its first row."""
        p, rng = self.parameters, self.rng
        assert isinstance(p.acc, IntFormat) and isinstance(p.result, IntFormat) and p.zero is not None
        acc = rng.integers(p.acc.min, p.acc.max, (rows, columns), endpoint=True) >> rng.integers(0, 25)
        others: dict[str, Any] = {}
        if channel is not None:
            others["channel"] = (channel, self.multipliers, self.shifts)
        if row is not None:
            zero = (p.zero.min, p.zero.max, 0, int(rng.integers(p.zero.min, p.zero.max)))[int(rng.integers(0, 4))]
            others["row"] = (zero, row, self.sums)
        multiplier, shift = int(rng.integers(0, 1 << 31)), int(rng.integers(26, 60))
        zero_point = int(rng.integers(p.result.min, p.result.max + 1))
        return integer_matrix(self.label, acc, multiplier=multiplier, shift=shift, zero_point=zero_point, **others)

    def run(self, matrices: list[Matrix], pace: str = "full speed") -> Any:
        """Fills the memories, then finishes ``matrices``."""
        label, run = self.label, bench().run(5)
        containers = [int(m) | int(s) << 32 for m, s in zip(self.multipliers, self.shifts, strict=True)]
        parts = [tuple(containers[s : s + self.load_lanes]) for s in range(0, len(containers), self.load_lanes)]
        loads = [Beat(part, index == len(parts) - 1).packed(self.load_lanes, 64) for index, part in enumerate(parts)]
        given = [beat.packed(self.values, self.a.width) for beat in beats(self.matrix_a, self.values, self.a.width)]
        command = record(TRANSFER, {"rows": 1, "cols": len(containers), "tag": 9})
        order = record(SUM_ORDER, {"base": 0, "cols": self.matrix_a.shape[1]})
        for name, words in (
            ("channels_command", [command]),
            ("channels_beats", loads),
            ("sums_order", [order]),
            ("sums_i", given),
        ):
            run.send(f"{label}_{name}", bench().payloads(words, f"{label}_{name}"))
        run.expect(f"{label}_sums_o", bench().payloads(given, f"{label}_sums_o"))
        run.expect(
            f"{label}_channels_answer", bench().payloads([record(ANSWER, {"tag": 9})], f"{label}_channels_answer")
        )
        return feed(run, label, matrices, pace, not_before=20 + len(given) + len(loads)).execute()


@pytest.mark.parametrize("label", PATHS)
def test_every_word_of_channels_begins_a_matrix(label: str) -> None:
    filled, p = Filled(label, 1), PATHS[label]
    matrices = []
    for word in range(p.channel_words):
        room = (p.channel_words - word) * p.lanes
        for columns in {1, p.lanes, min(p.lanes + 1, room), room}:
            matrices.append(filled.matrix(3, columns, channel=word))
    filled.run(matrices)


@pytest.mark.parametrize("label", PATHS)
def test_every_row_of_sums_begins_a_matrix(label: str) -> None:
    filled, p = Filled(label, 2), PATHS[label]
    matrices = []
    for row in range(p.sum_rows):
        for rows in {1, 2, p.sum_rows - row}:
            matrices.append(filled.matrix(min(rows, p.sum_rows - row), p.lanes + 1, row=row))
    filled.run(matrices)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", PATHS)
def test_records_of_all_kinds_back_to_back(label: str, pace: str) -> None:
    filled, p = Filled(label, 3), PATHS[label]
    matrices = []
    for index in range(60):
        word, row = int(filled.rng.integers(0, p.channel_words)), int(filled.rng.integers(0, p.sum_rows))
        rows = int(filled.rng.integers(1, p.sum_rows - row + 1))
        columns = int(filled.rng.integers(1, (p.channel_words - word) * p.lanes + 1))
        matrices.append(
            filled.matrix(rows, columns, channel=word if index % 2 else None, row=row if index % 3 else None)
        )
    result = filled.run(matrices, pace)
    if pace == "full speed":
        assert set(np.diff(result[f"{label}_o"].cycle)) == {1}


def test_a_zero_point_of_b_is_taken_out_exactly() -> None:
    filled, rng = Filled("path", 4), np.random.default_rng(8)
    b, zero_b = rng.integers(0, 256, (filled.matrix_a.shape[1], 7)), 131
    asymmetric = integer_matrix("path", filled.matrix_a @ b, multiplier=1 << 30, shift=38, row=(zero_b, 0, filled.sums))
    symmetric = integer_matrix("path", filled.matrix_a @ (b - zero_b), multiplier=1 << 30, shift=38)
    assert np.array_equal(asymmetric.results, symmetric.results) and len(np.unique(symmetric.results)) > 30
    filled.run([asymmetric, symmetric])


def test_the_difference_saturates_not_the_accumulator() -> None:
    filled = Filled("wide", 6)
    row = int(np.argmax(filled.sums))
    zero_b, limit = 127, (1 << 32) - 1
    taken_off = zero_b * int(filled.sums[row])
    # The limit rounds up from a tie, to 201; what is less by that much, down.
    multiplier, shift = -(-401 * 2**54 // limit), 55
    acc = np.array(
        [[limit + taken_off, limit + taken_off - 8, limit, limit + taken_off + 1, 1 << 38, limit - taken_off]]
    )
    matrix = integer_matrix("wide", acc, multiplier=multiplier, shift=shift, row=(zero_b, row, filled.sums))
    assert matrix.results[0].tolist() == [201, 200, 200, 201, 201, 200]
    assert taken_off > 1 << 10
    filled.run([matrix])


def test_beats_wait_for_their_order() -> None:
    matrices = [integer_matrix("int8", np.full((2, 5), n), multiplier=1, shift=0) for n in range(4)]
    run = feed(bench().run(), "int8", matrices, not_before=np.array([0, 50, 51, 100]))
    result = run.execute()
    taken = result["int8_i"].cycle
    assert list(taken[::4]) == [1, 51, 55, 101]  # a cycle after the order, or after the matrix before
    assert result["int8_o"].offer[-1] == taken[-1] + block("int8").latency


@pytest.mark.parametrize("label", ["int8", "bf16"])
def test_a_reset_forgets_half_a_matrix(label: str) -> None:
    p, one = PARAMETERS[label], [np.full((3, 2 * PARAMETERS[label].lanes), 5)] * 2
    if label == "int8":
        half, whole = (integer_matrix(label, acc, multiplier=1, shift=0) for acc in one)
    else:
        half, whole = (float_matrix(label, acc, "silu") for acc in one)
    run = bench().run()
    run.send(f"{label}_order", bench().payloads([record(FINISH_ORDER, half.order)] * 2, f"{label}_order"))
    given = [beat.packed(p.lanes, p.acc_bits) for beat in beats(half.acc, p.lanes, p.acc_bits)[:3]]
    run.send(f"{label}_i", bench().payloads(given, f"{label}_i")).reset(4, 2)
    # Beats 0 to 2 are taken in the cycles 1 to 3; what waits is the second order.
    run = feed(run, label, [whole], not_before=20)
    assert run.execute()[f"{label}_i"].cycle.tolist()[:4] == [1, 2, 3, 21]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"lanes": 0}, "lanes must be at least 1, got 0"),
        ({"channels": -1}, "channels must be at least 0, got -1; nearest legal value is 0"),
        ({"zero": IntFormat(8)}, "a zero point needs sums of at least 1 row and 1 bit, got 0 and 0"),
        ({"result": BF16}, "result of int32 must be an integer format, got bf16"),
        ({"acc": FP32}, "result of fp32 must be a float format, got int8"),
        ({"acc": FP32, "result": FxFormat(40)}, "result must be no window, got fx40"),
        ({"acc": FP32, "result": BF16, "channels": 4}, "channels and zero are for integers, got accumulators of fp32"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        FinishParameters(**dict[str, Any](lanes=4, acc=IntFormat(32), result=IntFormat(8)) | changes)
    assert str(caught.value) == sentence
