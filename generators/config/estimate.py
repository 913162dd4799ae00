"""What a configuration will cost, known before it is generated: an estimate, from figures measured on smaller ones."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config.derived import column_sum_bits, product_bits
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.hdl.numeric import FloatFormat, FxFormat, IntFormat, code_format

FORCE_ABOVE = 16_384  # multipliers, those of 128 x 128

# Measured from 4 x 4 to 256 x 256: sequencers and ports are there once, edges and scratchpads grow with the lanes.
_FIXED_BYTES = {"ws": 101_000, "os": 109_000, "is": 131_000, "any": 150_000}
_BYTES_OF_ARRAY = 7_000  # without the core around it, whatever the size
_BYTES_A_LANE, _BYTES_AN_ELEMENT = 70, 80
_FIXED_SECONDS = 1.2
_LUTS_OF_FLOAT_ADD, _LUTS_OF_WINDOW_ADD = 700, 300
_SECONDS_A_LANE, _SECONDS_AN_ELEMENT = 0.010, 0.005  # twice that where banks rotate


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
    """The estimate for ``config``. Bytes are good to a factor of two, seconds and LUTs to their order of magnitude."""
    tree = (config.vector - 1) * _luts_of_tree_node(config)
    lanes = 0 if config.product == "array" else config.rows + config.cols
    elements = lanes * config.vector
    fixed = _BYTES_OF_ARRAY if config.product == "array" else _FIXED_BYTES[config.dataflow]
    slower = 2 if config.dataflow in ("is", "any") else 1
    return Estimate(
        multipliers=config.rows * config.cols * config.vector,
        verilog_bytes=fixed + lanes * _BYTES_A_LANE + elements * _BYTES_AN_ELEMENT,
        seconds=_FIXED_SECONDS + slower * (lanes * _SECONDS_A_LANE + elements * _SECONDS_AN_ELEMENT),
        luts=config.rows * config.cols * (_luts_of_sums(config) + tree),
    )


def _luts_of_sums(config: SystolicConfig) -> int:
    """LUTs of one processing element beside its multiplier: measured on 8 x 8 int8 with 32-bit results, by width."""
    acc = code_format(config.acc).width
    held = {"os": 2 * acc + 6, "any": 3 * acc + 9}.get(config.dataflow, acc + 7)
    if isinstance(config.acc, FloatFormat):
        return _LUTS_OF_FLOAT_ADD + held
    if isinstance(config.acc, FxFormat):
        return _LUTS_OF_WINDOW_ADD + held
    if config.dataflow == "os":
        return 2 * acc + 6  # the sum, and the bank that drains
    if config.dataflow == "any":
        return 3 * acc + 9  # both of these, and the choice between operands
    assert config.integers is not None
    column = column_sum_bits(*config.integers, config.rows, config.vector, saturate=config.saturates)
    return column + 7


def _luts_of_tree_node(config: SystolicConfig) -> int:
    """LUTs of one addition of two products."""
    if isinstance(config.a, IntFormat) and isinstance(config.b, IntFormat):
        return product_bits(config.a, config.b)
    return _LUTS_OF_FLOAT_ADD if isinstance(config.acc, FloatFormat) else _LUTS_OF_WINDOW_ADD


def check_force(config: SystolicConfig, *, force: bool) -> None:
    """Raises ConfigError for a configuration so large that ``force`` is needed, where that is not given."""
    if needs_force(config) and not force:
        raise ConfigError(
            f"--force must be given for more than {FORCE_ABOVE} multipliers, got {config.rows} x {config.cols} "
            f"x {config.vector}, about {estimate(config)}; nearest legal value is --force"
        )


def needs_force(config: SystolicConfig) -> bool:
    """Whether ``config`` is so large that it is generated only on explicit demand."""
    return config.rows * config.cols * config.vector > FORCE_ABOVE
