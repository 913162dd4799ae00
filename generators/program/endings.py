"""The instructions that say what becomes of results on their way to memory."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.channel_table import channel_table, channel_words, function_table
from tilewright.generators.program.instruction import Instruction, Token, bits
from tilewright.generators.program.product import Product
from tilewright.generators.program.schedule import Load, Step
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.engine.records import Activation, Finishing, Opcode, Target

CHANNEL_SLOT, ADDED_SLOT, TABLE_SLOT = 3, 4, 5
HALVES = 2
"""Parts of the row sums: those of a macro tile stay while those of the next are made."""


class Endings:
    """How the tiles of a product are finished."""

    def __init__(self, product: Product, tiling: Tiling, config: EngineConfig) -> None:
        self.product, self.tiling, self.finish = product, tiling, product.finish
        self.table = channel_table(product, tiling, config)
        self.function = function_table(product, config)
        self.words = channel_words(product, tiling, config)

    @property
    def by_tile(self) -> bool:
        """Whether each tile is finished in a way of its own."""
        return self.table is not None or self._sums

    @property
    def _sums(self) -> bool:
        return self.finish is not None and self.finish.b_zero != 0

    def begin(self) -> Iterator[Instruction]:
        """What is told once."""
        if self.finish is not None and not self.by_tile and self.function is None:
            yield self._finishing(0, 0)

    def before(self, step: Step) -> Iterator[Instruction]:
        """What a tile needs before it is stored, its loads apart."""
        first = step.tile == 0
        if self.finish is None:
            return
        if self.table is not None and first:
            yield from self._table(self.table, Target.CHANNELS, CHANNEL_SLOT, Token.CHANNELS_FULL)
        if self.function is not None and first:
            yield from self._table(self.function, Target.TABLE, TABLE_SLOT, Token.TABLE_FULL)
        if self.finish.added is not None:
            view = self.finish.added.view
            if first:
                yield Instruction(Opcode.LOAD_TENSOR, {"slot": ADDED_SLOT, **view.description()})
            yield Instruction(Opcode.LOAD, {"target": int(Target.RESIDUAL), "slot": ADDED_SLOT, **view.box(*step.c)})
        if self.by_tile or (self.function is not None and first):
            word = 0 if self.table is None else self.words.word(step.c.column)
            loaded = ((Token.CHANNELS_FULL, self.table), (Token.TABLE_FULL, self.function))
            waits = bits(*(token for token, table in loaded if table is not None and first))
            yield self._finishing(word, self._entry(step.panel, step.row), waits)

    def _table(self, table: Matrix, target: Target, slot: int, token: Token) -> Iterator[Instruction]:
        """Loads a table as a whole."""
        yield Instruction(Opcode.LOAD_TENSOR, {"slot": slot, **table.description()})
        where = {"target": int(target), "slot": slot, "base": 0}
        yield Instruction(Opcode.LOAD, {**where, **table.box(0, 0, 1, table.cols)}, gives=bits(token))

    def store(self, step: Step) -> dict[str, int]:
        """Fields of the tile's STORE: the part of C that it is, pooled where it is."""
        c = step.c
        if self.finish is None or not self.finish.pool_width:
            return self.product.c.box(*c)
        pooled = self.product.c.box(c.row // 4, c.column, c.rows // 4, c.cols)
        return {**pooled, "rows": c.rows, "stored_rows": c.rows // 4}

    def load(self, load: Load) -> dict[str, int]:
        """Fields of a load of A: where its rows are summed."""
        if load.operand != "a" or not self._sums:
            return {}
        return {"sum_base": self._entry(load.panel, load.row), "sum_add": int(load.part.column > 0)}

    def waits(self, load: Load) -> int:
        """Tokens of a load: the sums that it replaces are no longer needed."""
        return bits(Token.SUMS_FREE) if self._sums and load.begins_panel and load.panel >= HALVES else 0

    def gives(self, step: Step, panels: int) -> int:
        """Tokens of a store: it was the last that needed the sums of its panel."""
        return bits(Token.SUMS_FREE) if self._sums and step.ends_panel and step.panel + HALVES < panels else 0

    def _entry(self, panel: int, row: int) -> int:
        return panel % HALVES * self.tiling.macro_m + row if self._sums else 0

    def _finishing(self, word: int, entry: int, waits: int = 0) -> Instruction:
        f = self.finish
        assert f is not None
        fields = {
            "mode": Finishing.TENSOR if self.table is None else Finishing.CHANNEL,
            "channel_base": word,
            "row_base": entry,
            "zero_b": f.b_zero,
            "point": self.product.point,
        }
        for name in ("multiplier", "shift", "zero_point", "low", "high", "activation", "pool_width"):
            fields[name] = getattr(f, name)
        if self.function is not None:
            fields["activation"] = int(Activation.TABLE)
        if f.added is not None:
            fields |= {"add": 1, **f.added.fields}
        return Instruction(Opcode.FINISH, {name: int(value) for name, value in fields.items()}, waits=waits)
