"""Runs the demonstration network on a simulated core, a layer a command, and compares every accumulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.demo.coded import CodedNetwork, Codes
from tilewright.generators.demo.digits import Digits
from tilewright.generators.reference.core import ReferenceCore
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.records import Command, Dataflow, Start, Transfer
from tilewright.sim_tests.drivers.core_result import CoreResult
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import Build, SimulationFailed
from tilewright.sim_tests.system.campaign import perform
from tilewright.sim_tests.system.judge import Judge
from tilewright.sim_tests.system.program import Step
from tilewright.sim_tests.verify.subject import Subject


@dataclass(frozen=True)
class LayerRun:
    """One layer on the RTL.

    Attributes:
        m, n, k: its shape: images, outputs, inputs.
        accumulators: what the RTL computed, m x n codes.
        differing: how many of them are not those of the reference.
        cycles: from taking the command to offering its completion.
        predicted: the same by the cycle model.
        simulated: cycles of the whole run, loads and read-out included.
        seconds: wall time of that.
        reason: the first thing that is wrong; "" if nothing.
        recording: file to replay it from.
    """

    m: int
    n: int
    k: int
    accumulators: Codes
    differing: int
    cycles: int
    predicted: int
    simulated: int
    seconds: float
    reason: str = ""
    recording: Path | None = None

    @property
    def macs(self) -> int:
        """Multiply-accumulates of the layer."""
        return self.m * self.n * self.k


@dataclass(frozen=True)
class NetworkRun:
    """Both layers on the RTL, and how many images it read right."""

    config: SystolicConfig
    layers: tuple[LayerRun, LayerRun]
    right: int

    @property
    def cycles(self) -> int:
        """Cycles of both commands."""
        return sum(layer.cycles for layer in self.layers)

    @property
    def predicted(self) -> int:
        """The same by the cycle model."""
        return sum(layer.predicted for layer in self.layers)

    @property
    def utilisation(self) -> float:
        """Multiply-accumulates over those that the array could have done in these cycles."""
        able = self.cycles * self.config.rows * self.config.cols * self.config.vector
        return sum(layer.macs for layer in self.layers) / able

    @property
    def cycles_per_second(self) -> float:
        """Speed of the simulation, loads and read-outs included."""
        return sum(layer.simulated for layer in self.layers) / sum(layer.seconds for layer in self.layers)

    @property
    def right_in_every_bit(self) -> bool:
        """Whether accumulators, answers and cycles are all as they must be."""
        return not any(layer.reason for layer in self.layers)


def run_network(subject: Subject, build: Build, network: CodedNetwork, digits: Digits) -> NetworkRun:
    """Runs all ``digits`` through both layers; each layer gets what the RTL made of the one before."""
    first = _run_layer(subject, build, network, 0, network.inputs(digits.images))
    second = _run_layer(subject, build, network, 1, network.activate(first.accumulators))
    right = int((network.choose(second.accumulators) == digits.labels).sum())
    return NetworkRun(subject.config, (first, second), right)


def _run_layer(subject: Subject, build: Build, network: CodedNetwork, layer: int, operands: Codes) -> LayerRun:
    weights, bias = network.layers[layer].weights, network.layers[layer].bias
    (m, k), n = operands.shape, weights.shape[1]
    model = cycle_model(subject.config)
    dataflow = model.best(m, n, k)
    command = Command(m, n, k, Dataflow[dataflow.upper()], Start.BIAS)
    bias_base = ReferenceCore(subject.config).command_spans(command)["c"].high
    steps = [
        Step(transfer=Transfer(0, m, k), port="a", matrix=operands),
        Step(transfer=Transfer(0, k, n), port="b", matrix=weights),
        Step(transfer=Transfer(bias_base, 1, n), port="c", matrix=bias),
        Step(command=Command(m, n, k, command.dataflow, Start.BIAS, bias_base=bias_base), after=(0, 1, 2)),
        Step(transfer=Transfer(0, m, n), after=(3,)),
    ]
    session = CoreSession(subject.design.parameters)
    operations = perform(session, steps)
    result = session.run(build)
    wrong = None
    try:
        Judge(subject.config, result).follow(steps, operations)
    except SimulationFailed as failure:
        wrong = failure
    predicted, (cycles,) = model.cycles(m, n, k, dataflow), result.command_cycles
    if wrong is None and cycles != predicted:
        wrong = result.run.failure(f"the command takes {cycles} cycles, and {predicted} by the cycle model")
    got = _accumulators(result, m, n)
    differing = int(np.count_nonzero(got != network.accumulators(layer, operands)))
    reason, recording = (wrong.reason, wrong.recording) if wrong else ("", None)
    whole = result.result
    return LayerRun(m, n, k, got, differing, cycles, predicted, whole.cycles, whole.wall_seconds, reason, recording)


def _accumulators(result: CoreResult, m: int, n: int) -> Codes:
    """What was read out; zeros where that is no m x n matrix, which the judge has told of."""
    lanes = result.parameters.c_memory.lanes
    if len(result.beats.values) != m * -(-n // lanes):
        return np.zeros((m, n), dtype=np.int64)
    return result.beats.values.reshape(m, -1)[:, :n]
