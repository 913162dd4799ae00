"""Finishing, adding and pooling one behind the other: all combinations in turn, with and without stalls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.reference.finish import max_pool, residual_sum
from tilewright.hdl.engine.finish_chain import FinishChain
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.records import FINISH_ORDER, Activation
from tilewright.hdl.engine.residual_add import factor_bits
from tilewright.hdl.engine.result_table import LOADED
from tilewright.hdl.numeric import BF16, FP32, IntFormat
from tilewright.hdl.systolic.records import TRANSFER
from tilewright.sim_tests.harness import Result
from tilewright.sim_tests.hdl.engine.finish_blocks import CHAINS, bench
from tilewright.sim_tests.hdl.engine.finish_runs import PARAMETERS, Matrix, beats, float_matrix, integer_matrix, record
from tilewright.sim_tests.hdl.stream.bench import PACES

Codes = NDArray[np.int64]
INT8 = IntFormat(8)


def added(matrix: Matrix, y: Codes, rng: np.random.Generator) -> Matrix:
    """The same with a second addend."""
    zero, right_zero, sum_zero = (int(value) for value in rng.integers(-128, 128, 3))
    left, right = (int(value) for value in rng.integers(0, 1 << factor_bits(INT8), 2))
    scale = int(rng.integers(0, 1 << 31)), int(rng.integers(50, 57))
    # The zero point that finishing adds is the one that adding takes off.
    zero = int(matrix.order["zero_point"])
    fields = {"add": 1, "left_multiplier": left, "right_multiplier": right, "right_zero": right_zero}
    fields |= {"sum_multiplier": scale[0], "sum_shift": scale[1], "sum_zero": sum_zero, "sum_low": -100, "sum_high": 99}
    results = residual_sum(matrix.results, y, INT8, (zero, left), (right_zero, right), scale, sum_zero, (-100, 99))
    return replace(matrix, order=matrix.order | fields, results=results)


def pooled(matrix: Matrix, width: int, label: str) -> Matrix:
    """The same pooled in lines of ``width`` pixels."""
    fmt, channels = CHAINS[label].finish.parameters.result, matrix.results.shape[1]
    picture = matrix.results.reshape(-1, width, channels)
    results = max_pool(picture, fmt).reshape(-1, channels)  # type: ignore[arg-type]
    return replace(matrix, order=matrix.order | {"pool_width": width}, results=results)


def run(
    label: str,
    matrices: list[Matrix],
    addends: list[Codes],
    pace: str = "full speed",
    table: Codes | None = None,
) -> Result:
    """Matrices through a chain; a ``table`` is loaded first."""
    p, (idle, stall) = PARAMETERS[label], PACES[pace]
    width = p.lane.out.width
    given = bench().run(3)
    orders = [record(FINISH_ORDER, matrix.order) for matrix in matrices]
    after = None if table is None else {f"{label}_table_answer": 1}
    given.send(f"{label}_order", bench().payloads(orders, f"{label}_order"), stall=idle / 2, after=after)
    if table is not None:
        loads = {"table_command": [record(TRANSFER, {"rows": 1, "cols": len(table)})]}
        loads["table_beats"] = [beat.packed(LOADED, width) for beat in beats(table, LOADED, width)]
        for port, words in loads.items():
            given.send(f"{label}_{port}", bench().payloads(words, f"{label}_{port}"))
        given.expect(f"{label}_table_answer", bench().payloads([0], f"{label}_table_answer"))
    streams = [("i", p.acc_bits, [matrix.acc for matrix in matrices])]
    if addends:
        streams.append(("residual", width, addends))
    for port, bits, values in streams:
        words = [beat.packed(p.lanes, bits) for each in values for beat in beats(each, p.lanes, bits)]
        given.send(f"{label}_{port}", bench().payloads(words, f"{label}_{port}"), stall=idle)
    wanted = [beat for matrix in matrices for beat in beats(matrix.results, p.lanes, width)]
    given.expect(
        f"{label}_o",
        bench().payloads([beat.packed(p.lanes, width) for beat in wanted], f"{label}_o"),
        mask=bench().payloads([beat.mask(p.lanes, width) for beat in wanted], f"{label}_o"),
        stall=stall,
    )
    return given.execute()


@pytest.mark.parametrize("pace", PACES)
def test_integers_with_all_that_may_follow(pace: str) -> None:
    rng, matrices, addends = np.random.default_rng(1), [], []
    for index in range(48):
        lines, width, channels = 2 * int(rng.integers(1, 3)), 2 * int(rng.integers(1, 4)), int(rng.integers(1, 13))
        acc = rng.integers(-(1 << 31), 1 << 31, (lines * width, channels)) >> 8
        multiplier, zero = int(rng.integers(1 << 30, 1 << 31)), int(rng.integers(-128, 128))
        matrix = integer_matrix("chain", acc, multiplier=multiplier, shift=46, zero_point=zero)
        if index & 1:
            addends.append(rng.integers(-128, 128, acc.shape))
            matrix = added(matrix, addends[-1], rng)
        if index & 2:
            matrix = pooled(matrix, width, "chain")
        matrices.append(matrix)
    run("chain", matrices, addends, pace)


@pytest.mark.parametrize("pace", PACES)
def test_floats_pooled_or_not(pace: str) -> None:
    rng, matrices = np.random.default_rng(2), []
    for index in range(20):
        acc = rng.integers(0, 1 << 32, (8, 5))
        matrix = float_matrix("chain_bf16", acc, ("none", "relu", "silu")[index % 3])
        matrices.append(pooled(matrix, 4, "chain_bf16") if index & 2 else matrix)
    run("chain_bf16", matrices, [], pace)


@pytest.mark.parametrize("pace", PACES)
def test_what_is_looked_up_is_added_and_pooled(pace: str) -> None:
    rng, matrices, addends = np.random.default_rng(3), [], []
    table = rng.integers(-128, 128, 256)
    for index in range(32):
        acc = rng.integers(-(1 << 31), 1 << 31, (8, int(rng.integers(1, 11)))) >> 8
        zero = int(rng.integers(-128, 128))
        matrix = integer_matrix("chain_table", acc, multiplier=1 << 30, shift=46, zero_point=zero)
        if index & 1:
            order = matrix.order | {"activation": Activation.TABLE}
            matrix = replace(matrix, order=order, results=table[matrix.results & 0xFF])
        if index & 2:
            addends.append(rng.integers(-128, 128, acc.shape))
            matrix = added(matrix, addends[-1], rng)
        matrices.append(pooled(matrix, 4, "chain_table") if index & 4 else matrix)
    run("chain_table", matrices, addends, pace, table)


def test_latency_and_throughput_are_those_of_the_datasheet() -> None:
    lanes = PARAMETERS["chain"].lanes
    long, pause = CHAINS["chain"].latency // 2, []
    for rows in (long, 1):
        acc = np.arange(rows * lanes).reshape(rows, lanes)
        matrices = [integer_matrix("chain", acc, multiplier=1 << 30, shift=32) for _ in range(12)]
        result = run("chain", matrices, [])
        assert result["chain_o"].offer[0] - result["chain_i"].cycle[0] == CHAINS["chain"].latency
        pause.append(set(np.diff(result["chain_o"].cycle)) != {1})
    assert pause == [False, True]


def test_what_is_refused_for_floats() -> None:
    for name in ("adds", "table"):
        with pytest.raises(ValueError) as caught:
            FinishChain(FinishParameters(2, FP32, BF16), **{name: True})
        assert str(caught.value) == f"{name} is for integers, got results of bf16; nearest legal value is False"
