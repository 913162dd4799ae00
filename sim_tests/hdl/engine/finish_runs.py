"""Matrices through finish paths: what goes in, what the model says comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from amaranth.hdl import Const
from amaranth.lib import data
from numpy.typing import NDArray

from tilewright.generators.reference.finish import finish_floats, finish_integers
from tilewright.hdl.engine.finish import Finish
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.records import FINISH_ORDER, Activation, Finishing
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.harness import Result, Run
from tilewright.sim_tests.hdl.engine.finish_blocks import CHAINS, FLOATS, INTEGERS, PATHS, bench
from tilewright.sim_tests.hdl.stream.bench import PACES
from tilewright.sim_tests.hdl.stream.packets import Beat

Codes = NDArray[np.int64]

PARAMETERS: Mapping[str, FinishParameters] = (
    PATHS | INTEGERS | FLOATS | {label: chain.finish.parameters for label, chain in CHAINS.items()}
)


@dataclass(frozen=True)
class Matrix:
    """Accumulators (M x N codes), what differs from 0 in their order, and the results."""

    acc: Codes
    order: dict[str, Any]
    results: Codes = field(default_factory=lambda: np.zeros((0, 0), np.int64))


def record(layout: data.StructLayout, fields: Mapping[str, Any]) -> int:
    """A record as a number; fields that are not given are 0."""
    value = int(Const.cast(layout.const(dict(fields))).value)
    return value & ((1 << int(layout.size)) - 1)


def beats(values: Codes, lanes: int, width: int) -> list[Beat]:
    """The beats of a matrix."""
    rows = [[int(value) & ((1 << width) - 1) for value in row] for row in np.atleast_2d(values)]
    found = [tuple(row[start : start + lanes]) for row in rows for start in range(0, len(row), lanes)]
    return [Beat(part, index == len(found) - 1) for index, part in enumerate(found)]


def noisy(beat: Beat, lanes: int, width: int, rng: np.random.Generator) -> int:
    """The payload of a beat, with anything in lanes that are not kept."""
    noise = int.from_bytes(rng.bytes(lanes * width // 8 + 1), "little") & ((1 << lanes * width) - 1)
    return beat.packed(lanes, width) | (noise >> len(beat.elements) * width << len(beat.elements) * width)


def integer_matrix(
    label: str,
    acc: Codes,
    *,
    multiplier: int,
    shift: int,
    zero_point: int = 0,
    limits: tuple[int, int] | None = None,
    channel: tuple[int, Codes, Codes] | None = None,
    row: tuple[int, int, Codes] | None = None,
) -> Matrix:
    """A matrix of integers.

    ``channel``: base, multipliers and shifts of the whole memory; ``row``: zero point of B, base, sums of the memory.
    """
    p = PARAMETERS[label]
    out = p.result
    assert isinstance(out, IntFormat)
    low, high = limits or (out.min, out.max)
    order: dict[str, Any] = {
        "mode": Finishing.TENSOR,
        "multiplier": multiplier,
        "shift": shift,
        "low": low,
        "high": high,
    }
    order |= {"zero_point": zero_point, "cols": acc.shape[1]}
    factors: tuple[Any, Any] = (multiplier, shift)
    if channel is not None:
        base, multipliers, shifts = channel
        order |= {"mode": Finishing.CHANNEL, "channel_base": base}
        here = slice(base * p.lanes, base * p.lanes + acc.shape[1])
        factors = multipliers[here], shifts[here]
    others: dict[str, Any] = {}
    if row is not None:
        zero_b, first, sums = row
        order |= {"zero_b": zero_b, "row_base": first}
        others = {"zero_b": zero_b, "sums": sums[first : first + acc.shape[0]]}
    results = finish_integers(acc, out, *factors, zero_point, (low, high), rounding=p.rounding, **others)
    return Matrix(acc, order, results)


def float_matrix(label: str, acc: Codes, activation: str = "none", point: int = 0) -> Matrix:
    """A matrix of floats or windows."""
    p = PARAMETERS[label]
    order = {
        "mode": Finishing.TENSOR,
        "activation": Activation[activation.upper()],
        "point": point,
        "cols": acc.shape[1],
    }
    built = activation if activation in ("none", "relu", *p.functions) else "none"
    results = finish_floats(acc, p.acc, p.result, built, overflow=p.overflow, point=point)  # type: ignore[arg-type]
    return Matrix(acc, order, results)


def feed(
    run: Run, label: str, matrices: Sequence[Matrix], pace: str = "full speed", *, seed: int = 1, **conditions: Any
) -> Run:
    """Sends matrices and their orders, and expects the results; ``conditions`` are those of the orders."""
    p, rng = PARAMETERS[label], np.random.default_rng(seed)
    idle, stall = PACES[pace]
    orders = [record(FINISH_ORDER, matrix.order) for matrix in matrices]
    given = [beat for matrix in matrices for beat in beats(matrix.acc, p.lanes, p.acc_bits)]
    width = p.lane.out.width
    wanted = [beat for matrix in matrices for beat in beats(matrix.results, p.lanes, width)]
    run.send(f"{label}_order", bench().payloads(orders, f"{label}_order"), stall=idle / 2, **conditions)
    run.send(
        f"{label}_i", bench().payloads([noisy(b, p.lanes, p.acc_bits, rng) for b in given], f"{label}_i"), stall=idle
    )
    return run.expect(
        f"{label}_o",
        bench().payloads([b.packed(p.lanes, width) for b in wanted], f"{label}_o"),
        mask=bench().payloads([b.mask(p.lanes, width) for b in wanted], f"{label}_o"),
        stall=stall,
    )


def finished(label: str, matrices: Sequence[Matrix], pace: str = "full speed", *, seed: int = 1) -> Result:
    """Runs matrices through a block without memories."""
    return feed(bench().run(seed), label, matrices, pace, seed=seed).execute()


def block(label: str) -> Finish:
    """The finish block called ``label``."""
    return Finish(PARAMETERS[label])
