"""What a design consists of, for reports on its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters, top
from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.systolic.accumulator import AccumulatorLane, StartLane
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow

_OF_A_CORE = {
    "array": "array",
    "scratchpad_a": "scratchpad A",
    "scratchpad_b": "scratchpad B",
    "c_region_0": "region of C",
    "c_region_1": "region of C",
    "decoder": "command decoder",
    "flight": "commands in flight",
    "streamer": "sequencer of streams",
    "loader": "sequencer of tiles",
    "c_reader": "sequencer of C",
    "c_writer": "sequencer of C",
    "controls": "controls of the array",
    "load_a": "load port of A",
    "load_b": "load port of B",
    "load_c": "load port of C",
    "read_c": "read port of C",
}
"""Blocks in a core, and what they are called; delays and masks between them are not parts of their own."""


@dataclass(frozen=True)
class Piece:
    """A part ``name`` that the part ``within`` ("": none, it is the whole) has ``count`` times, as module ``top``."""

    name: str
    within: str
    count: int
    top: str


@dataclass(frozen=True)
class Pieces:
    """The parts of a design, the whole first, each before its own parts; and the text of every module by name."""

    parts: tuple[Piece, ...]
    sources: Mapping[str, str]


def lane_name(config: SystolicConfig) -> str:
    """What a core has once a column between C and the array.

    ``accumulator lane``: the full-width add at the foot of the array. ``start multiplexer``, where sums start inside
    the array: the choice of what they start from.
    """
    return "start multiplexer" if config.seeded else "accumulator lane"


def pieces(config: SystolicConfig) -> Pieces:
    """The parts of the design that ``config`` describes."""
    p = core_parameters(config)
    emitter = Emitter(config.module_name)
    emitter.emit(top(config))
    sources = {module.name: module.text for module in emitter.modules()}
    element = Piece("PE", "array", config.rows * config.cols, emitter.module_name(p.element))
    if config.product == "array":
        return Pieces((Piece("array", "", 1, config.module_name), element), sources)
    inside: dict[str, Piece] = {}
    for cell in emitter.netlists()[f"{config.module_name}_core"].cells:
        name = _OF_A_CORE.get(cell.name.removeprefix("\\"))
        if name is not None:
            inside[name] = Piece(name, "core", inside[name].count + 1 if name in inside else 1, cell.kind)
    lane = Piece(lane_name(config), "core", config.cols, emitter.module_name(_lane(p)))
    order = [inside[name] for name in dict.fromkeys(_OF_A_CORE.values()) if name in inside]
    return Pieces((Piece("core", "", 1, config.module_name), order[0], element, lane, *order[1:]), sources)


def _lane(p: CoreParameters) -> StartLane | AccumulatorLane:
    if p.seeded:
        return StartLane(p.acc_bits, can_broadcast=p.has(Dataflow.IS))
    return AccumulatorLane(p.acc_bits, p.element.operands.sum_width, can_broadcast=p.has(Dataflow.IS))
