"""How often values move for a matrix product, by dataflow: out of the scratchpads, into C, from element to element.

A closed model that counts what the hardware does, ragged edges included: a fold at the edge of a matrix reads as many
words as any other, and a word counts with as many values as the array takes, whether or not all are of use.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.report.cycles import DATAFLOWS
from tilewright.generators.report.workload import Layer
from tilewright.hdl.numeric import code_format


@dataclass(frozen=True)
class Movement:
    """What one command moves. A step is one wavefront; a hop is a register from which a neighbour, or the foot, reads.

    Attributes:
        dataflow: what stays in the array.
        macs: multiply-accumulates of the product.
        steps: wavefronts.
        a_words, b_words: words read from the scratchpads of A and B.
        c_reads, c_writes: words of C (or the bias) read as partial sums, and written.
        a_values, b_values: operand values in the words read.
        c_values: sums in the words of C that are read and written.
        sum_hops: sums that pass from an element to the next or to the foot.
        operand_hops: operands (vectors of them) that enter an element.
        scratchpad_bits: bits of all words read and written.
    """

    dataflow: str
    macs: int
    steps: int
    a_words: int
    b_words: int
    c_reads: int
    c_writes: int
    a_values: int
    b_values: int
    c_values: int
    sum_hops: int
    operand_hops: int
    scratchpad_bits: int

    def per_mac(self, amount: int) -> float:
        """``amount`` a multiply-accumulate."""
        return amount / self.macs


def movement(config: SystolicConfig, layer: Layer, dataflow: str, *, sums_given: bool = False) -> Movement:
    """What one product of ``layer`` moves on ``config``'s core, or on one like it that can do ``dataflow``.

    ``sums_given``: C starts from a bias row or from old sums, not from zero.
    """
    rows, cols, vector = config.rows, config.cols, config.vector
    outer, inner, fold_steps = cycle_model(config, dataflow).folds(layer.m, layer.n, layer.k, dataflow)
    folds = outer * inner
    steps = folds * fold_steps
    descent = folds * cols * rows * (rows + 1) // 2  # a word a row, which goes down as far as its row
    if dataflow == "os":
        a_words = b_words = steps
        c_reads, c_writes = folds * rows if sums_given else 0, layer.m * inner
        high, wide = rows, cols
        sum_hops = descent * (2 if config.seeded else 1)  # what sums start from comes down too
        operand_hops = 2 * steps * rows * cols
    else:
        streamed, held = steps, folds * rows
        a_words, b_words = (streamed, held) if dataflow == "ws" else (held, streamed)
        c_reads, c_writes = steps - (0 if sums_given else inner * fold_steps), steps
        high, wide = (rows, cols) if dataflow == "ws" else (cols, rows)
        sum_hops = steps * rows * cols
        operand_hops = steps * rows * cols + descent
    a_values, b_values = a_words * high * vector, b_words * wide * vector
    c_values = (c_reads + c_writes) * cols
    bits = a_values * config.a.width + b_values * config.b.width + c_values * code_format(config.acc).width
    return Movement(
        dataflow, layer.m * layer.n * layer.k, steps, a_words, b_words, c_reads, c_writes, a_values, b_values, c_values,
        sum_hops, operand_hops, bits,
    )  # fmt: skip


def movements(config: SystolicConfig, layer: Layer) -> tuple[Movement, ...]:
    """``layer`` in every dataflow, from zero."""
    return tuple(movement(config, layer, dataflow) for dataflow in DATAFLOWS)


def recommended(found: tuple[Movement, ...]) -> Movement:
    """The one that moves the fewest bits in and out of scratchpads, among equals the fewest hops.

    A scratchpad's access costs a multiple of a hop in every technology.
    """
    return min(found, key=lambda each: (each.scratchpad_bits, each.sum_hops + each.operand_hops))
