"""Every register of an engine: what may be read and written, byte by byte, in any order of AW and W."""

from __future__ import annotations

import random

import pytest

from tilewright.generators.emit.engine import constants
from tilewright.hdl.engine.register_map import ADDRESS_BITS, BY_NAME, WINDOW_WORDS, registers
from tilewright.sim_tests.system.engine_designs import gate_engines
from tilewright.sim_tests.system.engine_probe import Probe

DESIGNS = tuple(gate_engines())
OF_32_BITS = ("program_high", "program_count", "watchdog")
UNKNOWN = sorted(set(range(0, 1 << ADDRESS_BITS, 4)) - {register.offset for register in registers(1)})


@pytest.mark.parametrize("design", DESIGNS)
def test_what_describes_the_engine(design: str) -> None:
    config = gate_engines()[design].config
    with Probe(gate_engines()[design]) as probe:
        for name, value in constants(config).items():
            assert probe.read(name) == value
        shape, port = probe.read("shape"), probe.read("port")
        assert (shape & 0xFFFF, shape >> 16) == (config.rows, config.cols)
        assert (port & 0xFF, port >> 8 & 0xFF, port >> 16) == (
            config.bus_bits // 8,
            config.address_bits,
            config.max_burst,
        )
        for name in "abc":
            assert probe.read(f"{name}_words") == getattr(config, f"{name}_words")


def test_reads() -> None:
    """What is written only, and what is no register, answers SLVERR; all else reads, slowly or fast."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        for patience, register in enumerate(registers(1)):
            response = "SLVERR" if register.access == "wo" else "OKAY"
            probe.session.read(register.offset, response=response, patience=patience % 4, delay=patience % 3)
        assert UNKNOWN
        for offset in UNKNOWN:
            probe.session.read(offset, response="SLVERR")
        probe.works()


def test_writes_to_what_is_not_to_be_written() -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        probe.works()
        read_only = [register for register in registers(1) if register.access == "ro"]
        before = [probe.session.read(register.offset) for register in read_only]
        for offset in [*(register.offset for register in read_only), *UNKNOWN]:
            probe.session.write(offset, 0xFFFFFFFF, response="SLVERR")
        assert [probe.session.read(register.offset) for register in read_only] == before
        for name in OF_32_BITS:
            assert probe.read(name) == (0 if name == "program_high" else probe.read(name))
        probe.works()


@pytest.mark.parametrize("order", ["any", "aw first", "w first"])
def test_bytes_in_any_order(order: str) -> None:
    rng = random.Random(5)
    with Probe(gate_engines()["ws_4x4"]) as probe:
        kept = dict.fromkeys(OF_32_BITS, 0)
        for _ in range(60):
            name = rng.choice(OF_32_BITS)
            value, strobes = rng.getrandbits(32), rng.getrandbits(4)
            delay, patience = rng.choice((0, 1, 2, 9)), rng.choice((0, 1, 5))
            probe.write(name, value, order=order, delay=delay, patience=patience, strobes=strobes)
            mask = sum(0xFF << 8 * byte for byte in range(4) if strobes >> byte & 1)
            kept[name] = kept[name] & ~mask | value & mask
            for other, wanted in kept.items():
                assert probe.read(other) == wanted
        probe.works()


def test_control_wants_its_first_byte() -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        probe.write("program_count", 0)
        probe.write("control", 1, strobes=0b1110)
        assert probe.read("status") & 1 == 0
        probe.write("control", 1, strobes=0b0001)
        assert probe.read("status") & 1 == 1, "waits for instructions through the window"
        probe.write("control", 2, strobes=0b1100)
        assert probe.read("status") & 1 == 1
        probe.write("control", 2, strobes=0b0001)
        probe.session.run(100)
        assert probe.read("status") & 1 == 0
        probe.write("interrupt", 1)
        probe.works()


@pytest.mark.parametrize("strobes", [0b0111, 0b1110, 0b0001, 0])
def test_words_of_the_window_are_written_whole_or_not_at_all(strobes: int) -> None:
    with Probe(gate_engines()["ws_4x4"]) as probe:
        for word in range(WINDOW_WORDS):
            probe.write(f"window_{word}", 0xFFFFFFFF, strobes=strobes, response="SLVERR")
        probe.start(count=0)
        for instruction in probe.known.program.reshape(-1, 64).view("<u4")[-1:]:  # END
            for word, value in enumerate(instruction):
                probe.write(f"window_{word}", int(value))
        assert probe.finish().done
        assert BY_NAME["window_0"].access == "wo"
        probe.works()
