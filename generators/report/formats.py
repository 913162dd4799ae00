"""What a multiply-accumulate costs and promises, by formats of operands and accumulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.area import Resources
from tilewright.generators.report.synthesis import Job, synthesise
from tilewright.hdl.numeric import FP32, FxFormat, exact_width, product_width
from tilewright.hdl.numeric.floating import FloatFormat

PAIRS = (
    ("int4", "int16"), ("int8", "int32"),
    ("fp8_e4m3", "fp32"), ("fp8_e5m2", "fp32"), ("fp16", "fp32"), ("bf16", "fp32"),
    ("fp8_e4m3", "fx32"), ("fp16", "fx48"), ("bf16", "fx48"),
)  # fmt: skip
"""Formats of both operands, and of the accumulator."""
SIZE = 8
"""Rows and columns of the weight-stationary array whose elements are mapped."""
PIPELINE = 1
"""Registers between the operands and the add, as in the presets."""
ADD_LATENCY = 3
"""Cycles of the add of fp32, as in the presets."""

HEADINGS = ("operands", "sums", "LUT4-eq", "narrow LUTs", "FF", "DSP", "cycles", "what a sum promises")
DEVICES = ("ecp5", "ecp5 without wide LUTs")


@dataclass(frozen=True)
class FormatReport:
    """One multiply-accumulate: a processing element of a weight-stationary array.

    Args:
        operands, acc: formats.
        resources: what the element takes, mapped as all reports of area are.
        narrow: the same without LUTs of more than four inputs: smaller where much logic is wide, and slower.
        latency: cycles from an operand at the element's input to the sum at its output.
        add_latency: those of the add among them; a sum may start from another one so many cycles later.
        safe_k: of integers: the longest sum that fits whatever the operands; else None.
        window: of windows: (bits of the window, bits that one product takes, bits that would hold every product
            exactly, wherever it lies); else None.
        promise: the same in words.
    """

    operands: str
    acc: str
    resources: Resources
    narrow: Resources
    latency: int
    add_latency: int
    safe_k: int | None
    window: tuple[int, int, int] | None
    promise: str

    @property
    def name(self) -> str:
        """What figures call it."""
        return f"{self.operands} into {self.acc}"

    @property
    def cells(self) -> tuple[str, ...]:
        """What a table shows under ``HEADINGS``."""
        r = self.resources
        numbers = (f"{number:,}" for number in (r.lut4_eq, self.narrow.lut4_eq, r.ff, r.dsp, self.latency))
        return (self.operands, self.acc, *numbers, self.promise)


def format_config(operands: str, acc: str) -> SystolicConfig:
    """The array whose elements are mapped."""
    return systolic_config(
        {
            "product": "array",
            "rows": SIZE,
            "cols": SIZE,
            "dataflow": "ws",
            "a": operands,
            "b": operands,
            "acc": acc,
            "pipeline": PIPELINE,
            "add_latency": ADD_LATENCY if acc == str(FP32) else 1,
        }
    )


def format_reports(tell: Callable[[str], None] = lambda name: None) -> list[FormatReport]:
    """All ``PAIRS``, each mapped on its own to ECP5, in two ways; ``tell`` hears what is done.

    Some seconds of a processor each; what has been mapped once is remembered.
    """
    configs = [format_config(*pair) for pair in PAIRS]
    jobs = [_job(config, device) for config in configs for device in DEVICES]
    names = {job.top: f"{config.a} into {config.acc}" for job, config in zip(jobs[::2], configs, strict=True)}
    used = [Resources.of(mapped.cells) for mapped in synthesise(jobs, lambda top: tell(names[top]))]
    return [_report(*each) for each in zip(configs, used[::2], used[1::2], strict=True)]


def _job(config: SystolicConfig, device: str) -> Job:
    emitter, element = Emitter("format"), core_parameters(config).element
    emitter.emit(element)
    return Job(emitter.module_name(element), {module.name: module.text for module in emitter.modules()}, device)


def _report(config: SystolicConfig, resources: Resources, narrow: Resources) -> FormatReport:
    window = None
    if isinstance(config.acc, FxFormat):
        assert isinstance(config.a, FloatFormat) and isinstance(config.b, FloatFormat)
        window = config.acc.width, product_width(config.a, config.b), exact_width(config.a, config.b)
    return FormatReport(
        str(config.a),
        str(config.acc),
        resources,
        narrow,
        1 + config.pipeline + config.add_latency,
        config.add_latency,
        config.safe_k,
        window,
        _promise(config.safe_k, window),
    )


def _promise(safe_k: int | None, window: tuple[int, int, int] | None) -> str:
    if safe_k is not None:
        return f"exact to K = {safe_k:,}"
    if window is not None:
        return f"any order, {window[0]} of {window[2]} bits"
    return "one rounding a step"
