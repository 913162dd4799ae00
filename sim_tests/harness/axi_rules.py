"""The AXI rules that the compiled driver watches, and a way to run them on a trace without any design."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tilewright.generators.scratch import scratch_folder
from tilewright.sim_tests.harness.axi_ports import CHANNELS, AxiPort
from tilewright.sim_tests.harness.cache import digest, entry
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.errors import HarnessError
from tilewright.sim_tests.harness.ports import StreamPort
from tilewright.sim_tests.harness.runtime import DRIVER, compile_all
from tilewright.sim_tests.harness.tools import compiler


@dataclass(frozen=True)
class AxiRule:
    """A rule of the AMBA AXI specification, IHI 0022 issue H; or, where the section says so, of AXI4-Stream's.

    Attributes:
        name: how reports call it, one word.
        section: where the specification states it.
        text: what must hold.
        remark: why it is not checked; ``""`` for a rule that is.
    """

    name: str
    section: str
    text: str
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.section} {self.text}"


#: Rules that levels at clock edges cannot show broken.
UNSEEN = (
    AxiRule("valid_first", "A3.2.1", "valid does not wait for ready", "stalls with wait_for_valid show it as a hang"),
    AxiRule(
        "w_free", "A3.3.1", "W does not wait for the ready of AW, nor AW for that of W", "orders show it as a hang"
    ),
    AxiRule("registered", "A3.1.1", "no combinational path from inputs to outputs", "only levels at edges are seen"),
    AxiRule("w_order", "A5.2.2", "write data come in the order of their addresses", "W has no ID: the data are wrong"),
    AxiRule(
        *("visible", "A6.1", "who needs written bytes waits for the response of the write"),
        "the memory stores a write when it responds: early reads find old bytes",
    ),
)


@dataclass(frozen=True)
class Violation:
    """A breach of ``rule``, seen just before rising edge ``cycle`` on ``channel`` of ``port``."""

    cycle: int
    port: str
    channel: str
    rule: AxiRule
    detail: str

    def __str__(self) -> str:
        more = f": {self.detail}" if self.detail else ""
        return f"AXI rule broken on {self.port}_{self.channel} in cycle {self.cycle}: {self.rule}{more}"

    @staticmethod
    def parse(line: str) -> Violation:
        """Reads what the driver writes."""
        cycle, port, channel, rule, *detail = line.rstrip("\n").split(" ", 4)
        return Violation(int(cycle), port, channel, rules_by_name()[rule], detail[0] if detail else "")


@cache
def rules_by_name() -> dict[str, AxiRule]:
    """The rules that are checked."""
    lines = _run(["--rules"]).splitlines()
    return {name: AxiRule(name, section, text) for name, section, text in (line.split(" ", 2) for line in lines)}


def rules() -> tuple[AxiRule, ...]:
    """All rules that are known: first those that are checked, then those that cannot be."""
    return (*rules_by_name().values(), *UNSEEN)


def rules_text() -> str:
    """The rules, one a line, and how many of them are checked."""
    checked = len(rules_by_name())
    lines = [f"{rule}{f' (not checked: {rule.remark})' if rule.remark else ''}" for rule in rules()]
    return "\n".join([*lines, f"{checked} of {len(rules())} rules checked"])


@dataclass(frozen=True)
class TraceResult:
    """What the rules say of a trace: breaches in order of time, and how often each rule could have been broken."""

    violations: list[Violation]
    tried: dict[str, int]


def check_trace(
    streams: Sequence[StreamPort], name: str, trace: Sequence[Mapping[str, int]], *, lite: bool = False
) -> TraceResult:
    """Run the rules on levels written by hand.

    Args:
        streams: the channels, like those of `axi_ports`.
        name: the port.
        trace: for each rising edge the levels just before it, by signal name, valids and readies too. What is not
            named is 0; ``"reset"`` is 1 in reset.
        lite: it is an AXI4-Lite subordinate.
    """
    port = AxiPort.find(streams, name, lite=lite)
    lines = port.description([port.channels[kind][1].words for kind in CHANNELS])
    return _check(lines, name, [stream for _, stream in port.channels.values()], trace)


def check_stream_trace(stream: StreamPort, trace: Sequence[Mapping[str, int]]) -> TraceResult:
    """The same for an AXI4-Stream, like those of `axis_port`."""
    lines = [f"stream {stream.words} {stream.signals[0][1] // 8} {stream.name}"]
    return _check(lines, stream.name, [stream], trace)


def _check(
    lines: list[str], name: str, streams: Sequence[StreamPort], trace: Sequence[Mapping[str, int]]
) -> TraceResult:
    known = {signal for stream in streams for signal in stream.ports} | {"reset"}
    for cycle, levels in enumerate(trace):
        unknown = sorted(set(levels) - known)
        if unknown:
            raise HarnessError(f"cycle {cycle} of the trace names {unknown[0]}, which {name} does not have")
        words = [levels.get("reset", 0)]
        for stream in streams:
            words += [levels.get(str(stream.valid), 0), levels.get(str(stream.ready), 0)]
            beat = 0
            for signal, width in stream.signals:
                beat |= (levels.get(signal, 0) & ((1 << width) - 1)) << stream.field(signal)[0]
            words += [beat >> 32 * word & 0xFFFFFFFF for word in range(stream.words)]
        lines.append("cycle " + " ".join(str(int(word)) for word in words))
    *found, tried = _run([], "\n".join(lines) + "\n").splitlines()
    pairs = tried.split()[1:]
    return TraceResult(
        [Violation.parse(line) for line in found],
        dict(zip(pairs[::2], map(int, pairs[1::2]), strict=True)),
    )


def _run(arguments: list[str], text: str = "") -> str:
    with scratch_folder("trace") as folder, Children() as children:
        (folder / "in").write_text(text)
        done = children.run(["sh", "-c", '"$0" "$@" < in', _program(), *arguments], cwd=folder)
    if done.code != 0:
        raise HarnessError(f"the rules did not run (code {done.code}): {done.output.strip()}")
    return done.output


_PARTS = ("axi_monitor", "axi_rules", "axi_wires", "axis_monitor")


@cache
def _program() -> Path:
    """The compiled rules, made now if this machine has not got them."""
    sources = [DRIVER / "trace" / "axi_trace.cpp", *(DRIVER / f"{n}.cpp" for n in _PARTS)]
    parts = [*sources, *sorted(DRIVER.glob("*.h"))]
    flags = ["-std=gnu++17", "-O1", f"-I{DRIVER}"]
    key = digest("axi rules", [hashlib.sha256(part.read_bytes()).hexdigest() for part in parts], compiler().version)

    def make(work: Path) -> None:
        with Children() as children:
            compile_all(children, [[*compiler().command, *flags, *sources, "-o", "axi_trace"]], work, "the AXI rules")

    return entry("runtime", key, make)[0] / "axi_trace"
