"""Cycle numbers, conditions, stalls, resets, payloads of all widths."""

import numpy as np
import pytest

from tilewright.sim_tests.harness import InterfaceError, Limits, Run, Stall, build, pack, unpack
from tilewright.sim_tests.harness_tests.designs import (
    build_adder,
    build_buffer,
    build_buffers,
    build_plain,
    build_wires,
    source,
)

BEATS = pack(np.arange(40), 8)


def test_a_register_is_one_cycle() -> None:
    result = Run(build_buffer()).send("i", BEATS).expect("o", BEATS).execute()
    assert result["i"].offer.tolist() == result["i"].cycle.tolist() == list(range(40))
    assert result["o"].offer.tolist() == result["o"].cycle.tolist() == list(range(1, 41))
    assert result.cycles == 41 + Limits().linger
    assert (result["i"].stalled, result["i"].refused, result["o"].stalled) == (0, 0, 0)
    assert np.all(np.diff(result["o"].wall) >= 0)


def test_a_wire_is_no_cycle() -> None:
    result = Run(build_wires()).send("a", BEATS).expect("x", BEATS).execute()
    assert result["a"].cycle.tolist() == result["x"].cycle.tolist() == list(range(40))


WIDTHS = (1, 8, 31, 32, 33, 64, 65, 96, 97, 4096, 8192)


@pytest.mark.parametrize("width", WIDTHS)
def test_payload_of_any_width(width: int) -> None:
    words = np.random.default_rng(width).integers(0, 2**32, size=(60, (width + 31) // 32), dtype=np.uint32)
    if width % 32:
        words[:, -1] &= (1 << width % 32) - 1
    run = Run(build_buffers(*WIDTHS), seed=3)
    run.send(f"i{width}", words, stall=0.3).expect(f"o{width}", words, stall=0.3)
    assert np.array_equal(run.execute()[f"o{width}"].beats, words)


def test_signals_are_concatenated_first_one_lowest() -> None:
    made = build_adder()
    rng = np.random.default_rng(5)
    left, right, last = rng.integers(0, 2**40, 200), rng.integers(0, 2**7, 200), rng.integers(0, 2, 200)
    beats = pack(left, 40, 48)
    pack(right, 7, 48, offset=40, out=beats)
    pack(last, 1, 48, offset=47, out=beats)
    result = Run(made).send("a", beats).expect("s", 200).execute()
    assert np.array_equal(result["s"].elements("s_sum", 41, signed=False)[:, 0], left + right)
    assert np.array_equal(result["s"].elements("s_last", 1, signed=False)[:, 0], last)


def test_conditions_hold_from_the_cycle_after_the_transfer() -> None:
    run = Run(build_wires()).send("a", BEATS[:5]).expect("x", BEATS[:5])
    run.send("b", BEATS[:2], after={"x": 3}).send("b", BEATS[2:3], not_before=20).send("b", BEATS[3:4])
    result = run.expect("y", BEATS[:4]).execute()
    assert result["x"].cycle.tolist() == [0, 1, 2, 3, 4]
    assert result["b"].cycle.tolist() == [3, 4, 20, 21]
    assert result["b"].waited == 3 + 15


def test_conditions_for_each_beat() -> None:
    run = Run(build_wires()).send("a", BEATS[:3], not_before=np.array([2, 0, 9])).expect("x", BEATS[:3])
    result = run.send("b", BEATS[:3], after=[None, {"x": 2}, {"a": 3, "x": 1}]).expect("y", BEATS[:3]).execute()
    assert result["a"].cycle.tolist() == [2, 3, 9]
    assert result["b"].cycle.tolist() == [0, 4, 10]


def test_a_late_beat_is_no_deadlock() -> None:
    run = Run(build_wires()).send("a", BEATS[:1], not_before=500).expect("x", BEATS[:1]).limits(Limits(quiet=10))
    assert run.execute()["x"].cycle.tolist() == [500]


def test_reset_pulse_empties_the_design_and_the_offered_beat_comes_again() -> None:
    result = Run(build_buffer()).send("i", BEATS).expect("o", BEATS[[0, 1, *range(3, 40)]]).reset(3, 2).execute()
    assert result["i"].cycle[:5].tolist() == [0, 1, 2, 5, 6]
    assert result["o"].cycle[:4].tolist() == [1, 2, 6, 7]


def test_a_held_beat_may_vanish_in_reset() -> None:
    run = Run(build_buffer()).send("i", BEATS[:1]).send("i", BEATS[1:2], not_before=30)
    result = run.expect("o", BEATS[1:2], stall=0.99).reset(10).execute()
    assert result["o"].offer.tolist() == [31]


def test_single_stalls_come_as_often_as_asked() -> None:
    beats = np.zeros((4000, 1), dtype=np.uint32)
    result = Run(build_buffer(), seed=11).send("i", beats).expect("o", beats, stall=0.5).execute()
    assert 0.45 < result["o"].stalled / (result["o"].cycle[-1] + 1) < 0.55
    assert result["i"].refused > 3000
    result = Run(build_buffer(), seed=11).send("i", beats, stall=0.25).expect("o", beats).execute()
    assert 0.22 < result["i"].stalled / (result["i"].cycle[-1] + 1) < 0.28
    assert result["i"].refused == 0


def test_burst_stalls_are_as_long_as_asked() -> None:
    beats = np.zeros((2000, 1), dtype=np.uint32)
    stall = Stall(burst_probability=0.02, burst_length=(20, 30))
    for stalled, free in (("o", "i"), ("i", "o")):
        run = Run(build_buffer(), seed=5)
        run.send("i", beats, stall=stall if stalled == "i" else None)
        gaps = np.diff(run.expect("o", beats, stall=stall if stalled == "o" else None).execute()["o"].cycle) - 1
        assert free and set(gaps[gaps < 40]) - {0} <= set(range(20, 31))
        assert 20 < np.count_nonzero(gaps) < 80


def test_a_held_beat_keeps_its_offer_cycle() -> None:
    result = Run(build_wires()).send("a", BEATS[:1]).expect("x", BEATS[:1], stall=0.99).execute()
    assert result["x"].offer.tolist() == [0]
    assert result["x"].cycle[0] == result["x"].stalled == result["a"].refused > 0


def test_wait_for_valid_halves_the_rate() -> None:
    result = Run(build_buffer()).send("i", BEATS).expect("o", BEATS, stall=Stall(wait_for_valid=True)).execute()
    assert np.all(np.diff(result["o"].cycle) == 2)


def test_the_same_seed_gives_the_same_run_and_another_one_another() -> None:
    def cycles(seed: int) -> list[int]:
        result = Run(build_buffer(), seed).send("i", BEATS, stall=0.4).expect("o", BEATS, stall=0.4).execute()
        return [int(cycle) for cycle in result["o"].cycle]

    assert cycles(1) == cycles(1)
    assert cycles(1) != cycles(2)


def plain(seed: int, *, trace: bool = False) -> dict[str, int]:
    return dict(
        Run(build_plain(trace=trace), seed).send("i", BEATS * 0, stall=0.5).set("offset", 2**70 - 1).execute().outputs
    )


def test_plain_inputs_and_outputs() -> None:
    assert plain(1)["moved"] == 2**70


def test_unset_registers_and_idle_payloads_are_random_and_repeatable() -> None:
    runs = [plain(seed) for seed in range(1, 9)]
    assert len({run["unset"] for run in runs}) > 4
    assert all(run["leak"] for run in runs)
    assert plain(3) == runs[2]
    assert plain(3, trace=True) == runs[2]


def test_streams_without_handshake() -> None:
    text = (
        """module sums (input clk, input [15:0] x, output reg [15:0] y); always @(posedge clk) y <= x + 1; endmodule"""
    )
    kind = type(source("x", 1))
    streams = [kind("x", "in", (("x", 16),), None, None), kind("y", "out", (("y", 16),), None, None)]
    made = build({"sums.v": text}, "sums", streams, reset=None)
    values = np.arange(100)
    result = Run(made).send("x", pack(values, 16)).expect("y", 101).execute()
    assert unpack(result["y"].beats, 16, 1, signed=False)[1:, 0].tolist() == (values + 1).tolist()
    with pytest.raises(InterfaceError, match="stream y has no ready and cannot be stalled"):
        Run(made).expect("y", 1, stall=0.5)
    with pytest.raises(InterfaceError, match="sums has no reset"):
        Run(made).reset(5)


def test_nothing_to_do_ends_at_once() -> None:
    result = Run(build_buffer()).limits(Limits(linger=0)).execute()
    assert result.cycles == 1
    assert len(result["o"]) == 0 and result["o"].beats.shape == (0, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda run: run.send("o", BEATS), "stream o is an output; nothing can be sent to it"),
        (lambda run: run.expect("i", 1), "stream i is an input; nothing can be expected from it"),
        (lambda run: run.send("x", BEATS), "buffer has no stream 'x'; its streams are i, o"),
        (lambda run: run.send("i", BEATS.astype(np.int32)), r"beats of i must be a uint32 array \(n, 1\), got int32"),
        (lambda run: run.send("i", BEATS, after=[None]), "conditions of i must be one for each of its 40 beats"),
        (lambda run: run.send("i", BEATS, not_before=np.arange(3)), "conditions of i must be one for each of its 40"),
        (lambda run: run.send("i", BEATS, after={"z": 1}), "buffer has no stream 'z'"),
        (lambda run: run.send("i", BEATS, stall=Stall(wait_for_valid=True)), "wait_for_valid is for outputs"),
        (lambda run: run.send("i", BEATS, stall=1.5), r"stall probability must be 0..1, got 1.5; nearest is 1.0"),
        (lambda run: run.expect("o", -1), "o must expect 0 beats or more, got -1; nearest is 0"),
        (lambda run: run.expect("o", BEATS, mask=BEATS[1:]), r"mask of o must have the shape \(40, 1\), got \(39, 1\)"),
        (lambda run: run.set("level", 1), "buffer has no plain input 'level'; it has none"),
        (lambda run: run.reset(-1), "a reset pulse needs cycle >= 0 and length >= 1"),
        (lambda run: Run(run.build, 0), r"seed must be 1..2147483647, got 0; nearest is 1"),
        (lambda _: Stall(burst_length=(5, 4)), "stall burst_length must be 1 <= shortest <= longest"),
    ],
)
def test_misuse_is_refused_in_one_sentence(wrong, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InterfaceError, match=message):
        wrong(Run(build_buffer()))


def test_a_script_for_another_design_is_refused() -> None:
    from dataclasses import replace

    from tilewright.sim_tests.harness.errors import HarnessError
    from tilewright.sim_tests.harness.run import execute

    buffer, wires = build_buffer(), build_wires()
    with pytest.raises(HarnessError, match="the run script was written for another design"):
        execute(replace(buffer, folder=wires.folder), Run(buffer).send("i", BEATS).plan)
