"""Shapes and places at their edges: around the array, to the last word of a scratchpad, at the end of memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product as combinations
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.engine_link import EngineLink
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import dataflows
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.plan import make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import Places as Room
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.numeric import container_bytes
from tilewright.sim_tests.simulate.engine_transport import SimulatedEngine
from tilewright.sim_tests.system.engine_campaign import MEMORY_BYTES, Tally, count, run_job
from tilewright.sim_tests.system.engine_designs import EngineDesign, gate_engines
from tilewright.sim_tests.system.engine_places import Places
from tilewright.sim_tests.system.engine_probe import MEMORY, PROGRAM, Probe
from tilewright.sim_tests.system.engine_programs import Job

Shape = tuple[int, int, int]
TOGETHER = 9  # products of a program


def run(design: EngineDesign, cases: list[tuple[Shape, Tiling | None]]) -> Tally:
    """Products of these shapes, several in a program; None: as the planner likes."""
    rng = np.random.default_rng(1)
    total = Tally(engines=1)
    with design.session(MEMORY, memory_bytes=MEMORY_BYTES) as session:
        bench = SimulatedEngine(session)
        link = EngineLink(bench, design.config, watchdog=100_000)
        for first in range(0, len(cases), TOGETHER):
            memory = rng.integers(0, 256, MEMORY_BYTES, dtype=np.uint8)
            places = Places(memory, rng)
            products, parts = [], []
            for shape, forced in cases[first : first + TOGETHER]:
                product = plain(places, design.config, shape)
                tiling = forced or make_plan(product, design.config).tiling
                products.append((product, tiling))
                parts.append(Part(gemm_program(product, tiling, design.config)))
            program = encode(joined(parts)).ravel()
            total.add(run_job(design, bench, link, Job(places.take(len(program), 64), program, products), memory))
    count(total)
    return total


def plain(places: Places, config: EngineConfig, shape: Shape) -> Product:
    """A product without start and finish."""
    m, n, k = shape
    a, b = places.filled(m, k, config.a), places.filled(k, n, config.b)
    return Product(a, b, places.matrix(m, n, config.acc))


@pytest.mark.parametrize("name", gate_engines())
def test_shapes_around_the_array(name: str) -> None:
    """1, and the array's sides times vector, one less and one more."""
    design = gate_engines()[name]
    config = design.config

    def edges(unit: int) -> list[int]:
        return sorted({1, max(1, unit - 1), unit, unit + 1})

    tall = max(config.rows, config.cols)
    shapes = list(combinations(edges(tall), edges(config.cols), edges(config.rows * config.vector)))
    flows = dataflows(config)
    cases: list[tuple[Shape, Tiling | None]] = []
    for index, shape in enumerate(shapes):
        cases.append((shape, Tiling(flows[index % len(flows)], "mn", *shape, a_stages=1, b_stages=1, c_places=1)))
    assert run(design, cases).products == len(shapes) >= 36


@pytest.mark.parametrize("name", gate_engines())
def test_planned_shapes(name: str) -> None:
    """Primes and powers of two beyond the scratchpads, as the planner tiles them."""
    cases: list[tuple[Shape, Tiling | None]] = [(shape, None) for shape in ((37, 29, 41), (1, 61, 97), (64, 1, 32))]
    assert run(gate_engines()[name], cases).results == 37 * 29 + 61 + 64


def full(config: EngineConfig) -> Iterator[tuple[Shape, Tiling]]:
    """For each scratchpad a product of one tile that fills it, or as much of it as one can."""
    room, pads = Room(config), config.scratchpads
    sizes = range(1, 200)

    def one(m: int, n: int, k: int) -> Tiling:
        return Tiling(dataflows(config)[0], "mn", m, n, k, a_stages=1, b_stages=1, c_places=1)

    def fits(tiling: Tiling) -> bool:
        return min(room.stages(tiling, bias=False)) >= 1

    yield (max(m for m in sizes if fits(one(m, 1, 1))), 1, 1), one(max(m for m in sizes if fits(one(m, 1, 1))), 1, 1)
    tallest = [(k, one(1, 1, k)) for k in sizes if fits(one(1, 1, k))][-1]
    yield (1, 1, tallest[0]), tallest[1]
    widest = [(n, one(1, n, 1)) for n in sizes if fits(one(1, n, 1))][-1]
    yield (1, widest[0], 1), widest[1]
    for pad in "abc":
        words = getattr(pads, pad).words
        every = (one(m, n, k) for m, n, k in combinations(range(1, 40), range(1, 40, 3), range(1, 80, 3)))
        filling = [tiling for tiling in every if fits(tiling) and _words(room, tiling, pad) >= words - 1]
        best = max(filling, key=lambda tiling: _words(room, tiling, pad), default=None)
        if best is not None:
            yield (best.tile_m, best.tile_n, best.tile_k), best


def _words(room: Room, tiling: Tiling, pad: str) -> int:
    if pad == "c":
        return room.c_words(tiling, bias=False)
    return room.a_words(tiling) if pad == "a" else room.b_words(tiling)


@pytest.mark.parametrize("name", gate_engines())
def test_tiles_that_fill_a_scratchpad(name: str) -> None:
    design = gate_engines()[name]
    cases = list(full(design.config))
    room, pads = Room(design.config), design.config.scratchpads
    for pad in "abc":
        assert max(_words(room, tiling, pad) for _, tiling in cases) >= getattr(pads, pad).words - 1
    assert run(design, [(shape, tiling) for shape, tiling in cases]).products == len(cases) >= 5


@pytest.mark.parametrize("name", gate_engines())
def test_the_end_of_the_address_space(name: str) -> None:
    """All addresses have their highest bits set; the last page of tensors ends with the memory."""
    design = gate_engines()[name]
    bits = min(design.config.address_bits, 63)
    base = (1 << bits) - (1 << 16)
    with Probe(design, base=base) as probe:
        known = probe.known
        moved = []
        for instruction in known.instructions:
            fields: dict[str, Any] = dict(instruction.fields)
            if "address" in fields:
                fields["address"] += base
            moved.append(instruction._replace(fields=fields))
        probe.session.load(base, known.memory)
        program = encode(moved).ravel()
        probe.session.load(base + PROGRAM, program)
        probe.write("interrupt_enable", 1)
        probe.write("program_low", (base + PROGRAM) & 0xFFFFFFFF)
        probe.write("program_high", (base + PROGRAM) >> 32)
        probe.write("program_count", len(moved))
        probe.write("control", 1)
        assert probe.finish().done
        expected = known.expected.copy()
        expected[PROGRAM : PROGRAM + len(program)] = program
        probe.same(expected)
    assert container_bytes(design.config.acc) == replace(known.product).c.value_bytes
