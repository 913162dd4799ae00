"""Area of the units of elementary functions: mapped by synthesis, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.area import Resources
from tilewright.generators.report.synthesis import Job, synthesise
from tilewright.hdl.structure import Block


def function_area(
    units: Mapping[str, Block], device: str, tell: Callable[[str], None] = lambda name: None
) -> dict[str, Resources]:
    """What each of ``units`` uses on ``device``, by its name; ``tell`` hears what is done.

    Some two seconds of a processor each; what has been mapped once is remembered.
    """
    emitter = Emitter("function")
    for unit in units.values():
        emitter.emit(unit)
    sources = {module.name: module.text for module in emitter.modules()}
    tops = {emitter.module_name(unit): name for name, unit in units.items()}
    mapped = synthesise([Job(top, sources, device) for top in tops], lambda top: tell(tops[top]))
    return {name: Resources.of(found.cells) for name, found in zip(tops.values(), mapped, strict=True)}
