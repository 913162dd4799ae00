"""What a configuration will cost, known before it is generated: an estimate, from figures measured on smaller ones."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config.derived import column_sum_bits, product_bits
from tilewright.generators.config.systolic import SystolicConfig

FORCE_ABOVE = 16_384  # multipliers, those of 128 x 128


@dataclass(frozen=True)
class Estimate:
    """Bytes of Verilog, seconds of generation, four-input LUTs (carry chains counted as LUTs) beside one hard
    multiplier for each product; scratchpads and sequencer not counted among the LUTs."""

    multipliers: int
    verilog_bytes: int
    seconds: float
    luts: int

    def __str__(self) -> str:
        return (
            f"{self.verilog_bytes:,} bytes of Verilog, {self.seconds:.0f} s and {self.luts:,} LUTs "
            f"beside {self.multipliers:,} multipliers"
        )


def estimate(config: SystolicConfig) -> Estimate:
    """The estimate for ``config``, in microseconds."""
    macs = config.rows * config.cols * config.vector
    tree = (config.vector - 1) * product_bits(config.a, config.b)
    return Estimate(
        multipliers=macs,
        verilog_bytes=0,
        seconds=0,
        luts=config.rows * config.cols * (_luts_of_sums(config) + tree),
    )


def _luts_of_sums(config: SystolicConfig) -> int:
    """LUTs of one processing element beside its multiplier: measured on 8 x 8 int8 with 32-bit results, by width."""
    acc = config.acc.width
    if config.dataflow == "os":
        return 2 * acc + 6  # the sum, and the bank that drains
    if config.dataflow == "any":
        return 3 * acc + 9  # both of these, and the choice between operands
    column = column_sum_bits(config.a, config.b, config.acc, config.rows, config.vector, saturate=config.saturates)
    return column + 7


def needs_force(config: SystolicConfig) -> bool:
    """Whether ``config`` is so large that it is generated only on explicit demand."""
    return config.rows * config.cols * config.vector > FORCE_ABOVE
