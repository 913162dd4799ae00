"""What the engine counts: beats are those of the memory, cycles those of the run, wavefronts those of the folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilewright.generators.program.instruction import Instruction
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.sim_tests.system.engine_designs import EngineDesign, gate_engines
from tilewright.sim_tests.system.engine_memory import random_memory
from tilewright.sim_tests.system.engine_probe import MEMORY, Probe

DESIGNS = tuple(gate_engines())
SEQUENCERS = {
    "load": ("load_busy", "load_wait_token", "load_wait_bus"),
    "compute": ("compute_busy", "compute_wait_token"),
    "store": ("store_busy", "store_wait_token", "store_wait_bus"),
}


def steps(design: EngineDesign, program: tuple[Instruction, ...]) -> int:
    """Wavefronts of all commands: steps of their folds."""
    config = design.config
    model = cycle_model(config)
    total = 0
    for instruction in program:
        if instruction.opcode == Opcode.GEMM:
            f = instruction.fields
            folds = model.folds(f["m"], f["n"], f["k"], Dataflow(f["dataflow"]).name.lower())
            total += int(np.prod(folds))
    return total


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("design", DESIGNS)
def test_counters_of_a_run(design: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = gate_engines()[design]
    with Probe(chosen, MEMORY if seed == 1 else random_memory(rng), seed=seed) as probe:
        for _ in range(2):  # the second begins from 0
            before = probe.session.counters()
            probe.start()
            started = probe.session.cycle
            probe.session.wait_interrupt(1_000_000)
            cycles = probe.session.cycle - started
            assert probe.finish().done
            after, found = probe.session.counters(), probe.counters()
            passed = {name: after[name] - before[name] for name in after}
            beats = 512 // chosen.config.bus_bits
            assert found["fetch_beats"] == beats * len(probe.known.instructions)
            assert found["read_beats"] + found["fetch_beats"] == passed["read_beats"]
            assert found["write_beats"] == passed["write_beats"]
            assert found["array_active"] == steps(chosen, probe.known.instructions)
            assert abs(found["cycles"] - cycles) <= 6
            for names in SEQUENCERS.values():
                assert 0 < sum(found[name] for name in names) <= found["cycles"]
                assert found[names[0]] > 0
            assert found["compute_busy"] >= found["array_active"]


@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_waited_for(design: str) -> None:
    """Slow answers make loads, then stores, wait for the bus; a store waits for its tokens meanwhile."""
    with Probe(gate_engines()[design]) as probe:
        assert probe.run().done
        fast = probe.counters()
        probe.session.configure(replace(MEMORY, latency=300, write_latency=1))
        assert probe.run().done
        slow_reads = probe.counters()
        probe.session.configure(replace(MEMORY, write_latency=300))
        assert probe.run().done
        slow_writes = probe.counters()
        assert slow_reads["load_wait_bus"] > fast["load_wait_bus"] + 280
        assert slow_reads["store_wait_token"] > fast["store_wait_token"] + 280
        assert slow_reads["compute_wait_token"] > fast["compute_wait_token"] + 280
        assert slow_writes["store_wait_bus"] > fast["store_wait_bus"] + 280
        for name in ("read_beats", "write_beats", "fetch_beats", "array_active"):
            assert fast[name] == slow_reads[name] == slow_writes[name]


def test_a_sequencer_without_instructions_is_idle() -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        assert probe.run([Instruction(Opcode.END, {})]).done
        found = probe.counters()
        assert {name: count for name, count in found.items() if count} == {
            "cycles": found["cycles"],
            "fetch_beats": 4,
        }
