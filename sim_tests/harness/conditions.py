"""Turns what a caller says about the order of beats into the conditions of a run script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.harness.errors import InterfaceError
from tilewright.sim_tests.harness.ports import Interface
from tilewright.sim_tests.harness.script import CLOCK, Condition

#: Stream to number of transfers that it must have made.
After = Mapping[str, int]


def conditions(
    interface: Interface,
    stream: str,
    first: int,
    count: int,
    after: After | Sequence[After | None] | None,
    not_before: int | NDArray[np.integer] | None,
) -> list[Condition]:
    """Conditions of the beats ``first .. first+count-1`` of a stream, ascending.

    ``after`` and ``not_before`` concern the first of these beats, or each of them if they are sequences.
    """
    mappings = [after] if after is None or isinstance(after, Mapping) else list(after)
    cycles = np.asarray(0 if not_before is None else not_before, dtype=np.int64)
    if (after is not None and not isinstance(after, Mapping) and len(mappings) != count) or (
        cycles.ndim and cycles.shape != (count,)
    ):
        raise InterfaceError(f"conditions of {stream} must be one for each of its {count} beats")
    if not count:
        return []
    found = [
        Condition(first + beat, interface.index(source), int(transfers))
        for beat, mapping in enumerate(mappings)
        for source, transfers in (mapping or {}).items()
    ]
    cycles = cycles.reshape(-1)
    found += [Condition(first + int(beat), CLOCK, int(cycles[beat])) for beat in np.flatnonzero(cycles > 0)]
    return sorted(found, key=lambda condition: condition.beat)
