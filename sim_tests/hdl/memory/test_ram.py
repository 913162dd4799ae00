import numpy as np
import pytest

from tilewright.hdl.memory import Ram
from tilewright.sim_tests.hdl.memory.bench import RAMS, bench


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("label", RAMS)
def test_words_lanes_and_held_data(label: str, seed: int) -> None:
    ram, rng = RAMS[label], np.random.default_rng(seed)
    words: list[int | None] = [None] * ram.depth
    lane_bits = (1 << ram.width) - 1
    ports: dict[str, list[int]] = {p: [] for p in ram.signature.members if p != "read_data"}
    held: int | None = None
    wanted: list[int | None] = []
    for cycle in range(600):
        enable = int(rng.integers(1 << ram.lanes)) if rng.random() < 0.7 else 0
        if cycle < ram.depth:
            enable = (1 << ram.lanes) - 1
        write, read = int(rng.integers(ram.depth)), int(rng.integers(ram.depth))
        write = cycle if cycle < ram.depth else write
        data = int(rng.integers(1 << ram.width * ram.lanes))
        # Reading the address that is being written, or one never written, gives undefined data.
        asks = words[read] is not None and not (enable and write == read) and rng.random() < 0.7
        wanted.append(held)
        if asks:
            held = words[read]
        if enable:
            mask = sum(lane_bits << lane * ram.width for lane in range(ram.lanes) if enable >> lane & 1)
            words[write] = ((words[write] or 0) & ~mask) | (data & mask)
        step = {"write_enable": enable, "write_address": write, "write_data": data, "read_enable": int(asks)}
        for port, value in (step | {"read_address": read}).items():
            ports[port].append(value)
    got = bench().wiggle(label, ports, seed=seed)["read_data"]
    assert sum(value is not None for value in wanted) > 400
    for cycle, known in enumerate(wanted):
        assert known is None or got[cycle] == known, f"cycle {cycle}: expected {known:#x}, got {got[cycle]:#x}"


def test_depth() -> None:
    with pytest.raises(ValueError, match=r"^depth must be at least 1 word, got 0$"):
        Ram(0, 8)
