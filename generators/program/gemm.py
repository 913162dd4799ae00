"""From a product and its tiling to a program."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.endings import HALVES, Endings
from tilewright.generators.program.instruction import Instruction, Token, bits
from tilewright.generators.program.product import Product
from tilewright.generators.program.schedule import Load, Step, steps
from tilewright.generators.program.tiling import Places, Tiling, objections
from tilewright.generators.program.transposed import Transposed
from tilewright.generators.program.turning import turned_loads
from tilewright.hdl.engine.records import Opcode, Target
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.records import Start

AHEAD = 5  # loads fetched before the command that needs them; queues hold 8 instructions

_SLOTS = {"a": 0, "b": 1, "start": 2}
_TARGETS = {"a": Target.A, "b": Target.B, "start": Target.C}
_FREE = {"a": Token.A_FREE, "b": Token.B_FREE, "start": Token.START_FREE}
_FULL = {"a": Token.A_FULL, "b": Token.B_FULL, "start": Token.START_FULL}
_RAW, _FINISHED = 0, 1


def gemm_program(product: Product, tiling: Tiling, config: EngineConfig) -> list[Instruction]:
    """The instructions of ``product``; ``END`` is the last.

    Their order is a legal one for whoever ran them one at a time. A load stands as early as its place in the
    scratchpad allows, but at most ``AHEAD`` loads before it is needed: then the load queue is never empty while there
    is something to load, nor so full that fetching stops short of the commands for which there are operands.

    Raises ValueError where the tiling, or a container, is not one of this engine.
    """
    product.check(config)
    wrong = objections(tiling, product, config)
    if wrong:
        raise ValueError("; ".join(wrong))
    return list(_Program(product, tiling, config).instructions())


class _Program:
    """Turns steps into instructions."""

    def __init__(self, product: Product, tiling: Tiling, config: EngineConfig) -> None:
        self.product, self.tiling, self.config = product, tiling, config
        self.places = Places(config)
        self.words = (self.places.a_words(tiling), self.places.b_words(tiling))
        self.c_words = self.places.c_words(tiling, bias=product.has_bias)
        self.bias_offset = self.c_words - self.places.c_words(tiling, bias=False) // tiling.tile_m
        self.steps = steps(product, tiling)
        self.loads = [(load, at) for at, step in enumerate(self.steps) for load in step.loads]
        self.tiles = self.steps[-1].tile + 1
        self.totals = {operand: sum(load.operand == operand for load, _ in self.loads) for operand in ("a", "b")}
        self.stages = {"a": tiling.a_stages, "b": tiling.b_stages, "start": tiling.c_places}
        self.dataflow = Dataflow[tiling.dataflow.upper()]
        self.endings = Endings(product, tiling, config)
        self.panels = self.steps[-1].panel + 1

    def instructions(self) -> Iterator[Instruction]:
        """All of them."""
        yield from self._tensors()
        earliest = self._earliest()
        at = needed = 0
        for number, step in enumerate(self.steps):
            needed += len(step.loads)
            while at < min(needed + AHEAD, len(self.loads)) and earliest[at] < number:
                yield from self._loads(self.loads[at][0])
                at += 1
            if at < needed:
                raise AssertionError(f"a load of step {number} has no place")
            yield self._command(step)
            if step.last:
                yield from self.endings.before(step)
                yield self._store(step)
        yield Instruction(Opcode.END, {})

    def _earliest(self) -> list[int]:
        """For each load, the last step before which its place is not free, and what it follows in the load queue."""
        ends: dict[tuple[str, int], int] = {}
        panels: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            if step.frees_a:
                ends["a", step.a] = number
            if step.frees_b:
                ends["b", step.b] = number
            if step.last if self.product.accumulate else step.first:
                ends["start", step.tile] = number
            if step.ends_panel:
                panels[step.panel] = number
        places = [ends.get((load.operand, load.number - self.stages[load.operand]), -1) for load, _ in self.loads]
        sums = [panels[load.panel - HALVES] if self.endings.waits(load) else -1 for load, _ in self.loads]
        return [max(pair) for pair in zip(places, sums, strict=True)]

    def _tensors(self) -> Iterator[Instruction]:
        p = self.product
        yield from self.endings.begin()
        yield Instruction(Opcode.STORE_TENSOR, {"slot": 0, **p.c.description()})
        for name, view in (("b", p.b), ("a", p.a)):
            lies = view.lies if isinstance(view, Transposed) and view.block else view
            yield Instruction(Opcode.LOAD_TENSOR, {"slot": _SLOTS[name], **lies.description()})
        if p.start is not None:
            yield Instruction(Opcode.LOAD_TENSOR, {"slot": _SLOTS["start"], **p.start.description()})

    def _c_place(self, tile: int) -> tuple[int, int]:
        """(region, first word) of a tile."""
        place = tile % self.tiling.c_places
        return place % 2, place // 2 * self.c_words

    def _loads(self, load: Load) -> Iterator[Instruction]:
        """The load of an element, in parts where a transposer turns it."""
        view = {"a": self.product.a, "b": self.product.b, "start": None}[load.operand]
        if load.operand != "start" and isinstance(view, Transposed) and view.block:
            yield from turned_loads(self._load(load), view, load.part, load.operand, self.config)
        else:
            yield self._load(load)

    def _load(self, load: Load) -> Instruction:
        p, operand = self.product, load.operand
        view = {"a": p.a, "b": p.b, "start": p.start}[operand]
        assert view is not None
        region, base = 0, 0
        if operand == "start":
            region, base = self._c_place(load.number)
            base += self.bias_offset if p.has_bias else 0
        else:
            base = load.number % self.stages[operand] * self.words[operand == "b"]
        again = load.number >= self.stages[operand]
        free = Token.C_FREE if operand == "start" and p.accumulate else _FREE[operand]
        where = {"target": int(_TARGETS[operand]), "region": region, "slot": _SLOTS[operand], "base": base}
        return Instruction(
            Opcode.LOAD,
            {**where, **view.box(*load.part), **self.endings.load(load)},
            waits=(bits(free) if again else 0) | self.endings.waits(load),
            gives=bits(_FULL[operand]),
        )

    def _command(self, step: Step) -> Instruction:
        p, t = self.product, self.tiling
        region, c_base = self._c_place(step.tile)
        start = Start.ACCUMULATE
        waits = [_FULL[load.operand] for load in step.loads]
        gives = []
        reused = step.tile + t.c_places < self.tiles
        if step.first:
            start = Start.ZERO if p.start is None else Start.ACCUMULATE if p.accumulate else Start.BIAS
            if step.tile >= t.c_places and not p.accumulate:
                waits.append(Token.C_FREE)
            if p.has_bias and reused:
                gives.append(Token.START_FREE)
        if step.frees_a and step.a + t.a_stages < self.totals["a"]:
            gives.append(Token.A_FREE)
        if step.frees_b and step.b + t.b_stages < self.totals["b"]:
            gives.append(Token.B_FREE)
        if step.last:
            gives.append(Token.C_SUMMED)
        fields = {
            "m": step.c.rows,
            "n": step.c.cols,
            "k": step.k[1],
            "a_base": step.a % t.a_stages * self.words[0] + self.places.a_offset(step.c.rows, step.a_column),
            "b_base": step.b % t.b_stages * self.words[1],
            "c_base": c_base,
            "bias_base": c_base + self.bias_offset if p.has_bias else 0,
            "dataflow": int(self.dataflow),
            "start": int(start),
            "region": region,
            "point": p.point,
        }
        return Instruction(Opcode.GEMM, fields, waits=bits(*waits), gives=bits(*gives))

    def _store(self, step: Step) -> Instruction:
        region, base = self._c_place(step.tile)
        kind = _RAW if self.product.finish is None else _FINISHED
        reused = step.tile + self.tiling.c_places < self.tiles
        return Instruction(
            Opcode.STORE,
            {"target": kind, "region": region, "slot": 0, "base": base, **self.endings.store(step)},
            waits=bits(Token.C_SUMMED),
            gives=(bits(Token.C_FREE) if reused else 0) | self.endings.gives(step, self.panels),
        )
