"""What the reference engine does with accumulators on their way to memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.engine_box import Elements, codes, gather
from tilewright.generators.reference.engine_machine import EngineError
from tilewright.generators.reference.engine_records import Entry
from tilewright.generators.reference.engine_spans import moved_bytes
from tilewright.generators.reference.engine_versions import OwnVersions
from tilewright.generators.reference.finish import finish_floats, finish_integers, max_pool, residual_sum, row_sums
from tilewright.hdl.numeric import FloatFormat, Format, FxFormat, IntFormat

Integers = NDArray[np.int64]
_TENSOR, _CHANNEL = 1, 2
_TABLE = 6
_ENTRIES_OF_A_WORD = 4  # of the table: its base counts words
_ACTIVATIONS = ("none", "relu", "sigmoid", "tanh", "silu", "gelu")


@dataclass
class Traffic:
    """Bytes moved over the bus in whole beats: matrices read and written, and the program."""

    a: int = 0
    b: int = 0
    start: int = 0
    channels: int = 0
    added: int = 0
    table: int = 0
    c: int = 0
    program: int = 0

    @property
    def tensors(self) -> int:
        """All but the program."""
        return self.a + self.b + self.start + self.channels + self.added + self.table + self.c


class Finishing:
    """Channels, row sums, a table and tensors to be added, and what becomes of results with them.

    ``fields`` are those of the FINISH that holds, None before the first.
    """

    def __init__(
        self, config: EngineConfig, memory: NDArray[np.uint8], versions: OwnVersions, traffic: Traffic
    ) -> None:
        self.config, self.memory, self.traffic, self._versions = config, memory, traffic, versions
        self.fields: Mapping[str, int] | None = None
        self.sums = np.zeros(config.row_sums, dtype=np.int64)
        self.residuals: list[Integers] = []
        lanes = config.scratchpads.c.lanes
        self.table = np.zeros(1 << config.result.width if config.table else 0, dtype=np.int64)
        self.channels = np.full(-(-config.channels // lanes) * lanes, -1, dtype=np.int64)

    @property
    def complete(self) -> bool:
        """Whether what the next results need has been loaded, channels and sums apart."""
        return not (self.config.adds and self.fields and self.fields["add"]) or bool(self.residuals)

    def finished(self, entry: Entry, matrix: Integers) -> tuple[Integers, Format]:
        """Results of accumulators, and their format."""
        finish, out, acc = self.fields, self.config.result, self.config.acc
        if finish is None or finish["mode"] not in (_TENSOR, _CHANNEL):
            raise EngineError(f"{entry} stores finished results, but no FINISH before it says how to finish them")
        if isinstance(acc, IntFormat):
            assert isinstance(out, IntFormat)
            factors: tuple[ArrayLike, ArrayLike] = (finish["multiplier"], finish["shift"])
            if finish["mode"] == _CHANNEL:
                factors = self._factors(entry, finish["channel_base"], matrix.shape[1])
            limits = (finish["low"], finish["high"])
            result = finish_integers(
                matrix,
                out,
                *factors,
                finish["zero_point"],
                limits,
                zero_b=finish["zero_b"],
                sums=self._sums_of(entry, finish, len(matrix)),
            )
            result = self._looked_up(entry, finish, result)
            return self._pooled(entry, finish, self._added(entry, finish, result, out), out), out
        assert isinstance(out, FloatFormat)
        activation = _ACTIVATIONS[finish["activation"]]
        result = finish_floats(matrix, acc, out, activation, point=finish["point"])
        return self._pooled(entry, finish, result, out), out

    def sum_rows(self, entry: Entry, matrix: Integers) -> None:
        """Sums the rows of a matrix of A."""
        if not len(self.sums):
            return
        first, adds = entry.fields["sum_base"], entry.fields["sum_add"] & 1
        rows = np.arange(first, first + len(matrix))
        if rows[-1] >= len(self.sums):
            return  # entries that do not exist are those of products whose B has no zero point
        if adds:
            self._versions.reads(entry, ("sums", rows))
        width = self.config.a.width + 16
        self.sums[rows] = row_sums(matrix, width, self.sums[rows] if adds else 0)
        self._versions.writes(entry, ("sums", rows))

    def _sums_of(self, entry: Entry, finish: Mapping[str, int], rows: int) -> Integers:
        if not finish["zero_b"]:
            return np.zeros(rows, dtype=np.int64)
        entries = np.arange(finish["row_base"], finish["row_base"] + rows)
        if entries[-1] >= len(self.sums):
            raise EngineError(f"{entry} needs {rows} row sums from {entries[0]} on, the engine has {len(self.sums)}")
        self._versions.reads(entry, ("sums", entries))
        return self.sums[entries]

    def load_residual(self, entry: Entry, found: Elements, size: int) -> None:
        """Takes a matrix that the next results to be added to are added to."""
        if not self.config.adds:
            raise EngineError(f"{entry} loads a matrix to be added, which this engine cannot do")
        self._versions.reads(entry, ("memory", found.address[:, :, None] + np.arange(size)))
        self.traffic.added += moved_bytes(found, size, self.config)
        self.residuals.append(codes(gather(self.memory, found.address, size), self.config.result))

    def load_table(self, entry: Entry, found: Elements) -> None:
        """Takes entries of the table of a function."""
        first = _ENTRIES_OF_A_WORD * entry.fields["base"]
        entries = np.arange(first, first + found.address.size)
        if entries[-1] >= len(self.table):
            raise EngineError(f"{entry} loads entry {entries[-1]} of the table, this engine has {len(self.table)}")
        if entry.fields["rows"] != 1:
            raise EngineError(f"{entry} loads a table in {entry.fields['rows']} rows, which must be 1")
        self._versions.reads(entry, ("memory", found.address[:, :, None]))
        self.traffic.table += moved_bytes(found, 1, self.config)
        self.table[entries] = codes(gather(self.memory, found.address, 1), self.config.result).ravel()
        self._versions.writes(entry, ("table", entries))

    def _looked_up(self, entry: Entry, finish: Mapping[str, int], result: Integers) -> Integers:
        if finish["activation"] != _TABLE:
            return result
        if not len(self.table):
            raise EngineError(f"{entry} looks results up in a table, which this engine does not have")
        entries = result & (len(self.table) - 1)
        self._versions.reads(entry, ("table", np.unique(entries)))
        found: Integers = self.table[entries]
        return found

    def _added(self, entry: Entry, finish: Mapping[str, int], result: Integers, out: IntFormat) -> Integers:
        if not finish["add"]:
            return result
        if not self.config.adds:
            raise EngineError(f"{entry} adds a matrix to results, which this engine cannot do")
        if not self.residuals or self.residuals[0].shape != result.shape:
            raise EngineError(f"{entry} adds a matrix of {result.shape}, which was not loaded before it")
        return residual_sum(
            result,
            self.residuals.pop(0),
            out,
            (finish["zero_point"], finish["left_multiplier"]),
            (finish["right_zero"], finish["right_multiplier"]),
            (finish["sum_multiplier"], finish["sum_shift"]),
            finish["sum_zero"],
            (finish["sum_low"], finish["sum_high"]),
        )

    def _pooled(self, entry: Entry, finish: Mapping[str, int], result: Integers, out: Format) -> Integers:
        width = finish["pool_width"]
        if not width:
            return result
        if not self.config.pool_words:
            raise EngineError(f"{entry} pools results, which this engine cannot do")
        assert not isinstance(out, FxFormat)
        return max_pool(result.reshape(-1, width, result.shape[1]), out).reshape(-1, result.shape[1])

    def _factors(self, entry: Entry, word: int, columns: int) -> tuple[Integers, Integers]:
        """Multipliers and shifts of ``columns`` channels from a word of the channel memory on."""
        first = word * self.config.scratchpads.c.lanes
        found = self.channels[first : first + columns]
        if len(found) < columns or (found < 0).any():
            raise EngineError(f"{entry} needs channels that were never loaded")
        self._versions.reads(entry, ("channels", np.arange(first, first + columns)))
        return found & 0x7FFFFFFF, found >> 32 & 0x3F

    def load_channels(self, entry: Entry, found: Elements) -> None:
        """Takes multipliers and shifts."""
        values = gather(self.memory, found.address, 8).astype(np.int64).ravel()
        self._versions.reads(entry, ("memory", found.address[:, :, None] + np.arange(8)))
        self.traffic.channels += moved_bytes(found, 8, self.config)
        first = entry.fields["base"] * self.config.scratchpads.c.lanes
        if first + len(values) > len(self.channels):
            raise EngineError(f"{entry} loads more channels than the {len(self.channels)} that there is room for")
        if entry.fields["rows"] != 1:
            raise EngineError(f"{entry} loads channels in {entry.fields['rows']} rows, which must be 1")
        self.channels[first : first + len(values)] = values & 0x3F_7FFFFFFF
        self._versions.writes(entry, ("channels", np.arange(first, first + len(values))))
