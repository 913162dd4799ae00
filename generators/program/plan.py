"""Chooses how a product is tiled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Literal

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.estimate import Cost, Estimator
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.program.traffic import Traffic
from tilewright.generators.reference.engine_cycles import EngineCycles, NoEnd
from tilewright.generators.reference.engine_records import Entry, Op
from tilewright.generators.reference.engine_walks import NEVER

LATENCY = 80  # of the memory, in cycles, that plans are made for: 60, and its jitter
SLACK = 0.006  # by this part a plan may take longer than the fastest one where it moves less
BYTES_SLACK = 0.01  # and move more than the least where it takes fewer instructions and longer runs
_NEAR = 0.01  # estimates may be wrong by so much
_LOOKS = 200
_QUICK_LOOKS = 24
_LOOKED = 20_000  # instructions, at most, that are looked at

Objective = Literal["cycles", "bytes"]
OBJECTIVES: tuple[Objective, ...] = ("cycles", "bytes")


@dataclass(frozen=True)
class Plan:
    """A tiling, what it moves, and the cycles that the model predicts from start to interrupt."""

    tiling: Tiling
    traffic: Traffic
    cycles: int


def make_plan(
    product: Product,
    config: EngineConfig,
    latency: int = LATENCY,
    objective: Objective = "cycles",
    *,
    quick: bool = False,
) -> Plan:
    """The plan that is best by an objective.

    All candidates are ranked by estimates; the best of them are then timed by the model of events.

    - ``cycles``: those that take the fewest cycles, or `SLACK` more; of these, those that move the fewest bytes, or 1 %
      more; of these, the one of the fewest instructions and longest runs. More than the least is moved where that
      saves more than `SLACK`.
    - ``bytes``: those that move the fewest bytes of all; of these, the one that takes the fewest cycles.

    Args:
        product: what is computed.
        config: the engine.
        latency: of the memory, in cycles.
        objective: what comes first.
        quick: only a few tilings, the largest, are looked at, and not timed: for what counts no cycles.

    Raises ValueError where no tiling fits the engine's scratchpads.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, got {objective!r}")
    product.check(config)
    model = EngineCycles(config, latency)
    estimator = Estimator(product, model)
    looked_at = islice(candidates(product, config), _QUICK_LOOKS) if quick else candidates(product, config)
    costs = {tiling: estimator.cost(tiling) for tiling in looked_at}
    if not costs:
        raise ValueError("the scratchpads must hold at least a tile of each matrix, which they do not")
    if objective == "bytes":
        fewest = min(cost.bytes for cost in costs.values())
        costs = {tiling: cost for tiling, cost in costs.items() if cost.bytes == fewest}
    timed: dict[Tiling, int] = {}
    fastest = NEVER
    for tiling in _shortlist(costs, estimator):
        limit = int(fastest * (1 + SLACK))
        timed[tiling] = costs[tiling].cycles if quick else predicted(product, tiling, model, limit=limit)
        fastest = min(fastest, timed[tiling])
    near = [tiling for tiling, cycles in timed.items() if cycles <= fastest * (1 + SLACK)]
    least = min(costs[tiling].bytes for tiling in near)
    lean = [tiling for tiling in near if costs[tiling].bytes <= least * (1 + BYTES_SLACK)]
    best = min(lean, key=lambda tiling: (costs[tiling].pieces, timed[tiling]))
    return Plan(best, estimator.traffic(best), timed[best])


def forced_plan(product: Product, tiling: Tiling, config: EngineConfig, latency: int = LATENCY) -> Plan:
    """The plan of a given tiling. Raises ValueError where it is not legal."""
    model = EngineCycles(config, latency)
    return Plan(tiling, Estimator(product, model).traffic(tiling), predicted(product, tiling, model))


def predicted(product: Product, tiling: Tiling, model: EngineCycles, limit: int = NEVER) -> int:
    """Cycles of the tiling's program in the model of events; by formula where that does not follow it to the end.

    `NEVER` where they are known to be more than ``limit``.
    """
    program = entries(gemm_program(product, tiling, model.config))
    try:
        return model.cycles(program, limit)
    except NoEnd:
        return Estimator(product, model).cost(tiling).cycles


def entries(program: list[Instruction]) -> list[Entry]:
    """A program as the reference models take it."""
    return [Entry(index, Op(int(i.opcode)), i.waits, i.gives, i.fields, i.core) for index, i in enumerate(program)]


def _shortlist(costs: dict[Tiling, Cost], estimator: Estimator) -> list[Tiling]:
    """Tilings to be timed."""
    best = min(cost.cycles for cost in costs.values())
    alike = max(1, best // 1000)  # cycles that estimates do not tell apart
    by_cycles = sorted(costs, key=lambda tiling: (costs[tiling].cycles // alike, costs[tiling].pieces))
    limit = best * (1 + SLACK + _NEAR)
    near = [tiling for tiling in by_cycles if costs[tiling].cycles <= limit]
    by_bytes = sorted(near, key=lambda tiling: (costs[tiling].bytes, costs[tiling].pieces, costs[tiling].cycles))
    enough = costs[by_bytes[0]].bytes * (1 + BYTES_SLACK)
    lean = [tiling for tiling in near if costs[tiling].bytes <= enough]
    by_pieces = sorted(lean, key=lambda tiling: (costs[tiling].pieces, costs[tiling].cycles))
    chosen: dict[Tiling, None] = {}
    looked = 0
    for trio in zip_longest(by_cycles[:_LOOKS], by_bytes[:_LOOKS], by_pieces[:_LOOKS]):
        for tiling in trio:
            if tiling is None:
                continue
            count = estimator.traffic(tiling).instructions
            if tiling in chosen or (chosen and (looked + count > _LOOKED or len(chosen) >= _LOOKS)):
                continue
            chosen[tiling] = None
            looked += count
    return list(chosen)
