"""A block: a component with a name that stands for its parameters, so that it is emitted once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from amaranth.hdl import Elaboratable, ResetInserter, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Member


class Block(wiring.Component):
    """A component that can be placed by name.

    Parameters
    ----------
    name: str
        Readable name of the block *and its parameters*, ``pe_ws_int8_acc32``. Two blocks with the same name are
        the same hardware; an emitter refuses to emit a name twice with different ports.
    members: mapping of str to Member
        The ports.
    """

    _MustUse__silence = True
    """Blocks are also descriptions: one may stand for a module that has been emitted already, or only be looked at."""

    def __init__(self, name: str, members: Mapping[str, Member]) -> None:
        self.name = name
        super().__init__(dict(members))


@runtime_checkable
class Placer(Protocol):
    """A platform that replaces a block by an instance of a module that it emits elsewhere."""

    def instance(self, block: Block, reset: Value | None = None) -> Elaboratable:
        """An instance of ``block``'s module, connected to the ports of ``block``; ``reset`` resets it, too."""
        ...


def place(platform: Any, block: Block, *, reset: Value | None = None) -> Elaboratable:
    """What to add as a submodule for ``block``: an instance by name when ``platform`` emits modules, else ``block``.

    ``reset`` resets the block beside the reset of its clock domain.
    """
    if isinstance(platform, Placer):
        return platform.instance(block, reset)
    if reset is None:
        return block
    placed: Elaboratable = ResetInserter(reset)(block)
    return placed
