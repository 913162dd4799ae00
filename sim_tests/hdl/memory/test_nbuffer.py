from dataclasses import dataclass, field

import numpy as np
import pytest

from tilewright.hdl.memory import NBuffer
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.memory.blocks import NBUFFERS

EVERY = pytest.mark.parametrize("label", NBUFFERS)
PORTS = ("write", "write_address", "write_data", "write_done", "read", "read_address", "read_done")


@dataclass
class Model:
    """What the block must do, cycle by cycle."""

    block: NBuffer
    filled: int = 0
    error: int = 0
    producer: int = 0
    consumer: int = 0
    data: int | None = None
    words: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def may_write(self) -> bool:
        return self.filled < self.block.buffers

    @property
    def may_read(self) -> bool:
        return self.filled > 0

    def outputs(self) -> dict[str, int | None]:
        flags = {"write_ready": int(self.may_write), "read_ready": int(self.may_read)}
        return flags | {"filled": self.filled, "error": self.error, "read_data": self.data}

    def step(self, inputs: dict[str, int]) -> None:
        b, may_write, may_read = self.block, self.may_write, self.may_read
        outside = {side: inputs[f"{side}_address"] >= b.words for side in ("write", "read")}
        if inputs["read"] and may_read and not outside["read"]:
            self.data = self.words.get((self.consumer, inputs["read_address"]))
        if inputs["write"] and may_write and not outside["write"]:
            self.words[self.producer, inputs["write_address"]] = inputs["write_data"]
        for side, allowed in (("write", may_write), ("read", may_read)):
            wrong = (inputs[side] or inputs[f"{side}_done"]) and not allowed
            self.error |= bool(wrong or (inputs[side] and outside[side]))
        if inputs["write_done"] and may_write:
            self.producer, self.filled = (self.producer + 1) % b.buffers, self.filled + 1
        if inputs["read_done"] and may_read:
            self.consumer, self.filled = (self.consumer + 1) % b.buffers, self.filled - 1


def compare(label: str, steps: list[dict[str, int]], seed: int = 1) -> list[dict[str, int | None]]:
    """Runs ``steps`` on block and model; what the model said."""
    model = Model(NBUFFERS[label])
    wanted = []
    for step in steps:
        wanted.append(model.outputs())
        model.step(step)
    got = bench().wiggle(label, {port: [step[port] for step in steps] for port in PORTS}, seed=seed)
    for cycle, outputs in enumerate(wanted):
        for port, value in outputs.items():
            assert value is None or got[port][cycle] == value, f"{port} in cycle {cycle}"
    return wanted


def idle(**ports: int) -> dict[str, int]:
    return dict.fromkeys(PORTS, 0) | ports


@EVERY
@pytest.mark.parametrize("pace", [(0.9, 0.9), (0.9, 0.3), (0.3, 0.9)])
def test_producer_and_consumer_at_any_pace(label: str, pace: tuple[float, float]) -> None:
    block, rng = NBUFFERS[label], np.random.default_rng(int(sum(pace) * 10))
    model, steps = Model(block), []
    for _ in range(1500):
        writes = model.may_write and rng.random() < pace[0]
        reads = model.may_read and rng.random() < pace[1]
        step = idle(
            write=int(writes),
            write_address=int(rng.integers(block.words)),
            write_data=int(rng.integers(1 << block.width)),
            write_done=int(writes and rng.random() < 0.1),
            read=int(reads),
            read_address=int(rng.integers(block.words)),
            read_done=int(reads and rng.random() < 0.1),
        )
        steps.append(step)
        model.step(step)
    seen = compare(label, steps)
    levels = {outputs["filled"] for outputs in seen}
    assert levels == set(range(block.buffers + 1)) if pace[0] > 0.5 else {0, 1} <= levels
    assert {outputs["error"] for outputs in seen} == {0}
    assert sum(outputs["read_data"] is not None for outputs in seen) > 200


@EVERY
@pytest.mark.parametrize("seed", range(4))
def test_what_is_not_allowed_changes_nothing_but_the_error(label: str, seed: int) -> None:
    block, rng = NBUFFERS[label], np.random.default_rng(seed)
    limit = 1 << (block.words - 1).bit_length()
    steps = [
        idle(
            write=int(rng.random() < 0.6),
            write_address=int(rng.integers(limit)),
            write_data=int(rng.integers(1 << block.width)),
            write_done=int(rng.random() < 0.2),
            read=int(rng.random() < 0.6),
            read_address=int(rng.integers(limit)),
            read_done=int(rng.random() < 0.2),
        )
        for _ in range(400)
    ]
    assert compare(label, steps, seed + 1)[-1]["error"] == 1


@pytest.mark.parametrize("label", ["nbuffer2", "nbuffer3"])
def test_both_sides_work_in_every_cycle(label: str) -> None:
    block = NBUFFERS[label]
    n, rounds = block.words, 6
    data = np.random.default_rng(5).integers(0, 1 << block.width, (rounds, n))
    steps = [idle() for _ in range((rounds + 1) * n + 1)]
    for turn in range(rounds):
        for address in range(n):
            last = int(address == n - 1)
            write = {"write": 1, "write_address": address, "write_data": int(data[turn, address]), "write_done": last}
            steps[turn * n + address] |= write
            # Backwards: the consumer is free in its order. Its buffer is there one cycle after the last write.
            place = (turn + 1) * n + address
            steps[place] |= {"read": 1, "read_address": n - 1 - address, "read_done": last}
    seen = compare(label, steps)
    assert NBuffer.token_latency == NBuffer.read_latency == 1
    got = [outputs["read_data"] for outputs in seen[n + 1 :]]
    assert got == [int(value) for turn in data for value in turn[::-1]]
    assert seen[-1]["error"] == 0


def test_reset_takes_all_tokens_back() -> None:
    fill = [idle(write_done=1), idle(write_done=1), idle(read_done=1), idle(write_done=1), idle(write_done=1)]
    ports = {port: [step[port] for step in fill] for port in PORTS}
    run = bench().drive(bench().run(), "nbuffer2", ports).expect("nbuffer2_out", 12).reset(8)
    out = bench().outputs(run.execute(), "nbuffer2")
    assert (out["filled"][6], out["error"][6]) == (2, 1)
    assert (out["filled"][-1], out["error"][-1], out["write_ready"][-1], out["read_ready"][-1]) == (0, 0, 1, 0)


@pytest.mark.parametrize("sizes", [(0, 4, 8), (2, 0, 8), (2, 4, 0)])
def test_sizes(sizes: tuple[int, int, int]) -> None:
    field = ("buffers", "words", "width")[sizes.index(0)]
    with pytest.raises(ValueError, match=rf"^{field} must be at least 1, got 0$"):
        NBuffer(*sizes)
