"""Every fault that the compiled driver watches for, planted and found at the right cycle."""

import re

import numpy as np
import pytest

from tilewright.sim_tests.harness import Limits, Run, SimulationFailed, Stall, StreamPort, build, pack
from tilewright.sim_tests.harness_tests import designs
from tilewright.sim_tests.harness_tests.designs import build_buffer, build_wires, faulty_run, sink, source

NEVER = Stall(1.0)
BEATS = pack(range(10), 8)


def failure(run: Run) -> SimulationFailed:
    with pytest.raises(SimulationFailed) as caught:
        run.execute()
    return caught.value


def test_valid_withdrawn() -> None:
    found = failure(faulty_run(designs.WITHDRAWS_VALID).expect("o", 1, stall=NEVER))
    assert found.reason == "stream rule broken: o withdrew valid in cycle 3 before beat 0 was taken"
    assert (found.stream, found.cycle) == ("o", 3)


def test_valid_may_fall_after_the_beat_was_taken() -> None:
    faulty_run(designs.WITHDRAWS_VALID).expect("o", None).limits(Limits(linger=50)).execute()


def test_payload_changed() -> None:
    found = failure(faulty_run(designs.CHANGES_PAYLOAD).expect("o", 1, stall=NEVER))
    assert found.cycle == 1
    assert found.reason == (
        "stream rule broken: o changed beat 0 in cycle 1 while valid was high and ready low: o_data was 0x0, became 0x1"
    )


def test_payload_may_change_with_every_taken_beat() -> None:
    result = faulty_run(designs.CHANGES_PAYLOAD).expect("o", None).limits(Limits(linger=5)).execute()
    assert result["o"].elements("o_data", 8, signed=False)[:, 0].tolist() == [0, 1, 2, 3, 4, 5]


def test_unexpected_beat() -> None:
    found = failure(faulty_run(designs.REPEATS).send("i", BEATS[:2]).expect("o", 3))
    assert found.reason == "stream o offers beat 3 (0x1) in cycle 5, but only 3 are expected"


def test_a_beat_after_the_last_one_is_found_although_nobody_takes_it() -> None:
    found = failure(Run(build_buffer()).send("i", BEATS[:1]))
    assert found.reason == "stream o offers beat 0 (0x0) in cycle 1, but only 0 are expected"


def test_wrong_value_says_beat_signal_cycle_and_both_values() -> None:
    wanted = BEATS.copy()
    wanted[[4, 7], 0] ^= 0x30
    found = failure(Run(build_buffer(), seed=77).send("i", BEATS).expect("o", wanted))
    assert found.reason == "stream o beat 4 (cycle 5): o_data expected 0x34, got 0x4; 2 beats differ"
    assert str(found).startswith("buffer, seed 77: stream o beat 4")
    assert re.search(r"\nreplay: \S+ -m tilewright.sim_tests.harness.replay \S+\.zip$", str(found))


def test_masked_bits_do_not_count() -> None:
    wanted, mask = BEATS ^ np.uint32(0x30), np.full_like(BEATS, 0xCF)
    Run(build_buffer()).send("i", BEATS).expect("o", wanted, mask=mask).execute()
    mask[6] |= 0x10
    found = failure(Run(build_buffer()).send("i", BEATS).expect("o", wanted, mask=mask))
    assert "beat 6 (cycle 7): o_data expected 0x16, got 0x6; 1 beat differs" in found.reason


def test_deadlock_tells_who_waits_for_what() -> None:
    run = Run(build_wires()).send("a", BEATS, after={"y": 1}).send("b", BEATS, after={"x": 4}, not_before=3)
    found = failure(run.expect("x", 10).expect("y", 0).limits(Limits(quiet=50)))
    assert found.reason.splitlines() == [
        "deadlock: no transfer for 50 cycles up to cycle 49",
        "  a: 0 of 10 beats sent, valid 0, ready 1, waits for beat 0 of y",
        "  x: 0 of 10 beats received, valid 0, ready 1",
        "  b: 0 of 10 beats sent, valid 0, ready 1, waits for beat 3 of x",
    ]


def test_a_port_that_is_sampled_in_every_cycle_hides_no_deadlock() -> None:
    body = designs.SWALLOWS + " assign level = count;"
    level = StreamPort("level", "out", (("level", 8),), None, None)
    made = build(designs.faulty(body, extra=", output [7:0] level"), "faulty", [source("i", 8), sink("o", 8), level])
    run = Run(made).send("i", BEATS).expect("o", 1).expect("level", None).limits(Limits(quiet=30))
    assert "deadlock: no transfer for 30 cycles up to cycle 39\n  o: 0 of 1" in failure(run).reason
    values = Run(made).expect("level", 60).limits(Limits(quiet=30)).execute()["level"]
    assert values.elements("level", 8, signed=False)[:, 0].tolist() == list(range(60))


def test_a_swallowed_beat_is_a_deadlock() -> None:
    run = faulty_run(designs.SWALLOWS).send("i", BEATS).expect("o", 10).limits(Limits(quiet=30))
    assert "deadlock: no transfer for 30 cycles up to cycle 39" in failure(run).reason


def test_valid_that_waits_for_ready_hangs_behind_a_sink_that_waits_for_valid() -> None:
    faulty_run(designs.WAITS_FOR_READY).send("i", BEATS).expect("o", BEATS).execute()
    shy = Stall(wait_for_valid=True)
    run = faulty_run(designs.WAITS_FOR_READY).send("i", BEATS).expect("o", BEATS, stall=shy).limits(Limits(quiet=50))
    assert "deadlock" in failure(run).reason
    Run(build_buffer()).send("i", BEATS).expect("o", BEATS, stall=shy).execute()


def test_cycle_limit() -> None:
    run = Run(build_buffer()).send("i", BEATS).expect("o", BEATS).limits(Limits(cycles=8))
    found = failure(run)
    assert found.reason.startswith("not done after the limit of 8 cycles")
    assert found.cycle == 7


def test_the_design_ends_the_simulation() -> None:
    found = failure(faulty_run(designs.FINISHES).send("i", BEATS).expect("o", 1))
    assert "the design ended the simulation in cycle 5: enough" in found.reason


def test_output_that_must_stay_zero() -> None:
    body = designs.SWALLOWS + " assign protocol_error = count >= 6 ? 40'h8000000000 : 0; assign level = {count, 32'd5};"
    sources = designs.faulty(body, extra=", output [39:0] protocol_error, output [39:0] level")
    made = build(
        sources, "faulty", [source("i", 8), sink("o", 8)], outputs=[("level", 40)], zeros=[("protocol_error", 40)]
    )
    result = Run(made).limits(Limits(linger=4)).execute()
    assert result.outputs == {"level": (4 << 32) + 5, "protocol_error": 0}
    found = failure(Run(made).limits(Limits(linger=20)))
    assert found.reason == "output protocol_error is 0x8000000000 in cycle 6 and must stay 0"
    assert (found.stream, found.cycle) == ("protocol_error", 6)


def test_wall_time_limit() -> None:
    run = Run(build_buffer()).limits(Limits(linger=10**12))
    with pytest.raises(SimulationFailed, match=r"buffer, seed 1: no end after 0.5 s of wall time"):
        run.execute(timeout=0.5)


def test_a_difference_that_the_caller_found() -> None:
    run = Run(build_buffer(), seed=9).send("i", BEATS).expect("o", 10)
    run.execute()
    found = run.failure("row 3 is wrong", cycle=12, stream="o")
    assert str(found).startswith("buffer, seed 9: row 3 is wrong\nreplay: ")
