"""What a reduction makes of operands: where to look, how far to interpolate, and what becomes of the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Lookup:
    """For each operand: segment ``index`` of the table, ``offset`` in it; then, with ``v`` the value interpolated,
    the result is ``(factor * v + addend) * 2**places``, negated where ``negative``.

    ``v`` must be at least ``least``. Where ``factor`` is 0 the table is not asked.
    """

    index: Integers
    offset: Integers
    factor: Integers
    addend: Integers
    places: Integers
    negative: NDArray[np.bool_]
    least: Integers

    def at(self, where: NDArray[np.bool_]) -> Lookup:
        """That of some operands."""
        return Lookup(**{name: getattr(self, name)[where] for name in self.__dataclass_fields__})
