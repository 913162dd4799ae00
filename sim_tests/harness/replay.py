"""Runs a recorded run again, with a waveform: ``python -m tilewright.sim_tests.harness.replay FILE``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from tilewright.generators.whole_file import whole_file
from tilewright.sim_tests.harness.build import make
from tilewright.sim_tests.harness.errors import HarnessError
from tilewright.sim_tests.harness.failure import Finding, judge
from tilewright.sim_tests.harness.recording import Recording
from tilewright.sim_tests.harness.result import Result
from tilewright.sim_tests.harness.run import execute
from tilewright.sim_tests.harness.waves import write_save_file

_END = 2**62


@dataclass(frozen=True)
class Replay:
    """A run that was run again: its result, what is wrong with it, the waveform and the save file for GTKWave."""

    result: Result
    finding: Finding | None
    vcd: Path
    gtkw: Path


def replay(recording: Recording, vcd: Path, first: int = -_END, last: int = _END) -> Replay:
    """Run a recording on a build that writes waveforms.

    Args:
        recording: the run.
        vcd: waveform file to write.
        first: first cycle in the waveform.
        last: last one. Rising edge t lies at time ``10 * (t + reset cycles + 1)``; inputs change 1 after an edge.
    """
    vcd = vcd.absolute()
    vcd.parent.mkdir(parents=True, exist_ok=True)
    traced = make(replace(recording.spec, trace=True))
    with whole_file(vcd) as drawn:
        result = execute(traced, recording.plan, trace=(str(drawn), str(first), str(last)))
        if not drawn.is_file():
            raise HarnessError(f"the waveform {vcd} could not be written")
    finding = judge(result, recording.spec.interface, recording.plan)
    mark = None if finding is None or finding.cycle < 0 else 10 * (finding.cycle + recording.plan.limits.reset + 1)
    return Replay(result, finding, vcd, write_save_file(vcd, recording.spec.interface, recording.plan.groups, mark))


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit code 0 for a run without fault, 1 for a faulty one, 2 if it could not be run."""
    parser = argparse.ArgumentParser(prog="python -m tilewright.sim_tests.harness.replay", description=__doc__)
    parser.add_argument("recording", type=Path, metavar="FILE", help="a recorded run, as named by the failure")
    parser.add_argument("-o", "--output", type=Path, metavar="VCD", help="waveform to write (default: beside FILE)")
    parser.add_argument("--first", type=int, default=-_END, metavar="CYCLE", help="first cycle of the waveform")
    parser.add_argument("--last", type=int, default=_END, metavar="CYCLE", help="last cycle of the waveform")
    chosen = parser.parse_args(arguments)
    try:
        recording = Recording.load(chosen.recording)
        done = replay(recording, chosen.output or chosen.recording.with_suffix(".vcd"), chosen.first, chosen.last)
    except HarnessError as error:
        print(error, file=sys.stderr)
        return 2
    print(
        f"seed {recording.plan.seed}, {done.result.cycles} cycles:", done.finding.reason if done.finding else "passed"
    )
    if recording.reason and done.finding is None:
        print(f"recorded because: {recording.reason}")
    print(f"waveform: {done.vcd}\nopen with: gtkwave {done.gtkw}")
    return 1 if done.finding or recording.reason else 0


if __name__ == "__main__":
    sys.exit(main())
