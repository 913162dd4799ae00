"""The memory of channels: loads of all lengths at all places, bad ones, what is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.engine.channel_memory import CHANNEL, CONTAINER, ChannelMemory
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status
from tilewright.sim_tests.hdl.engine.finish_blocks import CHANNELS, bench
from tilewright.sim_tests.hdl.engine.finish_runs import record
from tilewright.sim_tests.hdl.stream.bench import PACES
from tilewright.sim_tests.hdl.stream.packets import Beat

Parameters = NDArray[np.int64]
LATE = 900
KEPT_BITS = 37


def containers(count: int, rng: np.random.Generator) -> Parameters:
    """Parameters of channels as they lie in memory, with anything in the bits between."""
    found = rng.integers(0, 1 << 63, count)
    found[: min(count, 2)] = (-1, 0)[: min(count, 2)]
    return found


def kept(container: int) -> int:
    """What the memory keeps of one: 31 bits from bit 0 on, 6 bits from bit 32 on."""
    return (container & 0x7FFFFFFF) | (container >> 32 & 0x3F) << 31


def packet(values: Parameters, lanes: int) -> list[Beat]:
    parts = [tuple(int(v) & (1 << 64) - 1 for v in values[s : s + lanes]) for s in range(0, len(values), lanes)]
    return [Beat(part, index == len(parts) - 1) for index, part in enumerate(parts)]


def loaded(
    label: str, loads: Sequence[tuple[dict[str, int], list[Beat], Status]], reads: Sequence[int], pace: str
) -> list[int]:
    """Checks the answers to ``loads``; what is read of the words ``reads`` afterwards, a word a cycle."""
    block, (idle, stall) = CHANNELS[label], PACES[pace]
    commands = [{"rows": 1, **command, "tag": index} for index, (command, _, _) in enumerate(loads)]
    answers = [{"tag": index, "status": status.value} for index, (_, _, status) in enumerate(loads)]
    run = bench().drive(
        bench().run(3),
        label,
        {"read": [*[0] * LATE, *[1] * len(reads), 0, 0], "read_address": [*[0] * LATE, *reads, 0, 1]},
    )
    given = bench().payloads([record(TRANSFER, each) for each in commands], f"{label}_command")
    wanted = bench().payloads([record(ANSWER, each) for each in answers], f"{label}_answer")
    run.send(f"{label}_command", given, stall=idle / 2).expect(f"{label}_answer", wanted, stall=stall)
    words = [beat.packed(block.load_lanes, CONTAINER.size) for _, given, _ in loads for beat in given]
    run.send(f"{label}_beats", bench().payloads(words, f"{label}_beats"), stall=idle)
    result = run.expect(f"{label}_out", LATE + len(reads) + 2).execute()
    assert result[f"{label}_answer"].cycle[-1] < LATE
    data = bench().outputs(result, label)["read_data"]
    assert data[-1] == data[-2]  # it holds
    return data[LATE + ChannelMemory.read_latency : -1]


def lane(block: ChannelMemory, words: Sequence[int], channel: int) -> int:
    return words[channel // block.lanes] >> channel % block.lanes * KEPT_BITS & (1 << KEPT_BITS) - 1


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", CHANNELS)
def test_loads_of_all_lengths_at_all_words(label: str, pace: str) -> None:
    block, rng = CHANNELS[label], np.random.default_rng(4)
    room, loads, want = block.words * block.lanes, [], dict[int, int]()
    for cols in [room, *range(1, min(room, 10) + 1)]:
        base = int(rng.integers(0, (room - cols) // block.lanes + 1))
        first, values = base * block.lanes, containers(cols, rng)
        loads.append(({"base": base, "cols": cols}, packet(values, block.load_lanes), Status.OK))
        want |= {first + index: kept(int(value)) for index, value in enumerate(values)}
        for channel in range(cols, -(-cols // block.load_lanes) * block.load_lanes):
            want.pop(first + channel, None)  # not kept in the last beat: undefined
    words = loaded(label, loads, range(block.words), pace)
    assert {channel: lane(block, words, channel) for channel in want} == want and len(want) > room // 2


@pytest.mark.parametrize("label", CHANNELS)
def test_bad_loads_are_answered_and_leave_the_next_alone(label: str) -> None:
    block, rng = CHANNELS[label], np.random.default_rng(5)
    room, n = block.words * block.lanes, block.load_lanes
    short, long = packet(containers(n, rng), n), packet(containers(3 * n, rng), n)
    good = containers(room, rng)
    loads: list[tuple[dict[str, int], list[Beat], Any]] = [
        ({"base": 0, "cols": 0}, [], Status.EMPTY),
        ({"base": 0, "cols": n + 1}, short, Status.LENGTH),
        ({"base": 0, "cols": n}, long, Status.LENGTH),
        ({"base": block.words, "cols": n}, short, Status.OUT_OF_RANGE),
        ({"base": 40000, "cols": n}, long, Status.OUT_OF_RANGE),
        ({"base": 0, "cols": room + 1}, packet(containers(room + 1, rng), n), Status.OUT_OF_RANGE),
        ({"base": 0, "cols": room}, packet(good, n), Status.OK),
        ({"base": block.words, "cols": 1}, packet(containers(1, rng), n), Status.OUT_OF_RANGE),
        ({"base": 40000, "cols": n}, short, Status.OUT_OF_RANGE),
        ({"base": 0, "cols": 0}, [], Status.EMPTY),
    ]
    words = loaded(label, loads, range(block.words), "random")
    assert [lane(block, words, channel) for channel in range(room)] == [kept(int(value)) for value in good]


def test_fields_of_a_container() -> None:
    assert CONTAINER.size == 64 and CONTAINER["shift"].offset == 32 and CHANNEL.size == KEPT_BITS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 4, 1), "channels must be at least 1, got 0"),
        ((4, 0, 1), "lanes must be at least 1, got 0"),
        ((4, 4, 0), "load_lanes must be at least 1, got 0"),
        ((4, 12, 5), "load_lanes must divide 12 lanes, got 5; nearest legal value is 4"),
        ((4, 3, 8), "load_lanes must divide 3 lanes, got 8; nearest legal value is 3"),
    ],
)
def test_what_is_refused(arguments: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        ChannelMemory(*arguments)
    assert str(caught.value) == sentence
