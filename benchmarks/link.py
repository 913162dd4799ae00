"""the link to a board in RTL, over the pins of its UART: noise, broken frames, breaks, wrong clocks, no waiting"""

from __future__ import annotations

import sys

from tilewright.fpga.boards.baud import divisor_of, error_of
from tilewright.fpga.boards.known import BOARDS, board
from tilewright.generators.config.presets import preset
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.link_faults import LinkFaults
from tilewright.sim_tests.benchmarks.link_rates import rates
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.simulate.board import simulated_board

PRESET, BOARD, SEED, FRAMES = "ws-4x4-int8", "icebreaker", 1, 1000
_RIGHT = "product after it right (1: yes)"


def main() -> int:
    """All of it on one core, which is never reset by hand."""
    chosen = board(BOARD)
    divisor = divisor_of(chosen.clock_hz, chosen.baud)
    faults = LinkFaults(simulated_board(preset(PRESET).config, divisor), divisor, chosen.clock_hz, SEED)
    groups = {
        "10,000 random bytes, 100 at a time": faults.noise(10_000, 100),
        "10,000 random bytes at once": faults.noise(10_000, 10_000),
        "frames cut after each byte": faults.truncated(),
        "frames with a wrong bit at each place": faults.flipped(),
        "frames that tell each wrong length": faults.wrong_length(),
        "breaks of 1 to 400 bits": faults.breaks(),
        "bits 2 % too long": faults.pace(0.02),
        "bits 2 % too short": faults.pace(-0.02),
    }
    kept = []
    with faults.session:
        for of, trials in groups.items():
            found = faults.answered(trials)
            print(f"{of}: {found}", flush=True)
            kept.append(Figure(of, "disturbances", found.trials, ""))
            kept.append(Figure(of, "good frames answered", found.good, "", least=found.trials))
            kept.append(Figure(of, "wrong frames carried out", found.taken, "", most=0))
            kept.append(Figure(of, _RIGHT, int(faults.product_is_right()), "", least=1))
        of = "a host that gives and takes a byte each millisecond"
        kept.append(Figure(of, _RIGHT, int(faults.product_is_right(slowly=True)), "", least=1))
        of = f"{FRAMES:,} frames without waiting"
        kept.append(Figure(of, "good frames answered", faults.without_waiting(FRAMES), "", least=FRAMES))
    for each in BOARDS.values():
        error = 100 * abs(error_of(each.clock_hz, each.baud, divisor_of(each.clock_hz, each.baud)))
        usual, of = rates(each.clock_hz), f"{each.title}, {each.clock_hz / 1e6:g} MHz"
        kept.append(Figure(of, f"error of a bit at {each.baud:,} bits/s", round(error, 2), "%", most=1))
        kept.append(Figure(of, "usual rates taken", usual.taken, ""))
        kept.append(Figure(of, "their most error", round(usual.worst, 2), "%", most=1))
        kept.append(Figure(of, "refused with nearest ones that are taken", usual.near, "", least=usual.refused))
    title = f"{PRESET} behind its link at {chosen.clock_hz / 1e6:g} MHz, {divisor} cycles a bit, seed {SEED}"
    return record("link", title, kept)


if __name__ == "__main__":
    sys.exit(main())
