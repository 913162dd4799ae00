"""Runs a recorded session again, with a waveform: ``python -m tilewright.sim_tests.harness.axi_replay FILE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.harness.axi_recording import load
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.build import make
from tilewright.sim_tests.harness.errors import HarnessError, SimulationFailed
from tilewright.sim_tests.harness.waves import write_save_file


def replay(
    recording: Path, vcd: Path, look: Callable[[NDArray[np.uint8]], object] = lambda memory: None
) -> tuple[SimulationFailed | None, str]:
    """Run a recorded session; returns what the driver found in it and why it was recorded.

    ``look`` gets the memory as it is in the end.
    """
    spec, plan, events, reason = load(recording)
    vcd.parent.mkdir(parents=True, exist_ok=True)
    about = vars(plan)
    found = None
    with AxiSession(make(spec), **about, trace=vcd) as session:
        for event in events:
            if isinstance(event, tuple):
                start, data = event
                session.memory[start : start + len(data)] = np.frombuffer(data, np.uint8)
                continue
            try:
                session.act(event)
            except SimulationFailed as error:
                found = error
        look(session.memory)
    return found, reason


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit code 0 for a session without fault, 1 for a faulty one, 2 if it could not be run."""
    parser = argparse.ArgumentParser(prog="python -m tilewright.sim_tests.harness.axi_replay", description=__doc__)
    parser.add_argument("recording", type=Path, metavar="FILE", help="a recorded session, as named by the failure")
    parser.add_argument("-o", "--output", type=Path, metavar="VCD", help="waveform to write (default: beside FILE)")
    chosen = parser.parse_args(arguments)
    vcd = (chosen.output or chosen.recording.with_suffix(".vcd")).absolute()
    try:
        found, reason = replay(chosen.recording, vcd)
        spec, plan, _, _ = load(chosen.recording)
        mark = None if found is None else 10 * (found.cycle + plan.reset + 1)
        view = write_save_file(vcd, spec.interface, None, mark)
    except HarnessError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"replayed: {found.reason if found else 'passed'}")
    print(f"recorded because: {reason}")
    print(f"waveform: {vcd}\nopen with: gtkwave {view}")
    return 1 if found or reason else 0


if __name__ == "__main__":
    sys.exit(main())
