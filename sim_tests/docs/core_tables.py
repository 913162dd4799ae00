"""What the outside of a core is made of: records, statuses, streams, memories."""

from __future__ import annotations

from tilewright.generators.config.derived import lanes
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit.interface import FIELDS, interface, layouts
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.docs.pages import table

# What makes a command or transfer end so; the order of checks is that of the numbers.
_STATUS = {
    Status.OK: "done",
    Status.EMPTY: "a size is 0: there is nothing to do",
    Status.BAD_DATAFLOW: "this core cannot do the dataflow",
    Status.BAD_START: "`start` is 3",
    Status.A_OUT_OF_RANGE: "A does not lie in its scratchpad",
    Status.B_OUT_OF_RANGE: "B does not lie in its scratchpad",
    Status.C_OUT_OF_RANGE: "C does not lie in its region",
    Status.BIAS_OUT_OF_RANGE: "the bias row does not lie in the region of C",
    Status.OUT_OF_RANGE: "transfers: the matrix does not lie in its scratchpad",
    Status.IN_USE: "transfers: a command in flight uses a word of it",
    Status.LENGTH: "loads: `last` did not come with the last beat; beats that came in their place are written",
    Status.BIAS_IN_C: "the bias row overlaps the C that it starts",
    Status.BAD_POINT: "`point` is not -512 to 512",
}


def records() -> str:
    """The bit layouts of all records."""
    parts = []
    windows = systolic_config({"a": "bf16", "acc": "fx48"})
    for name, layout in layouts(windows).items():
        lines = []
        for field in layout.members:
            low, width = layout[field].offset, layout[field].width
            bits = f"{low + width - 1}:{low}" if width > 1 else str(low)
            lines.append((f"`{field}`", bits, FIELDS[field]))
        parts.append(f"`{name}`, {layout.size} bits:\n\n{table(('field', 'bits', 'meaning'), lines)}")
    return "\n".join(parts)


def statuses() -> str:
    """Every status."""
    return table(("number", "status", "when"), [(s.value, f"`{s.name}`", _STATUS[s]) for s in Status], right=(0,))


def streams() -> str:
    """Every stream of a core, with the widths of a 4 x 4 int8 core."""
    config = systolic_config({"rows": 4, "cols": 4, "max_m": 64, "max_n": 64, "max_k": 64})
    lines = []
    for stream in interface(config).streams:
        carries = "rows of a matrix" if stream.carries == "beats" else f"`{stream.carries}`"
        widths = ", ".join(f"`t{part}` {width}" for part, width in stream.parts)
        lines.append((f"`{stream.name}`", stream.direction, carries, widths, stream.meaning))
    return table(("stream", "direction", "carries", "bits at 4 x 4, int8", "meaning"), lines)


# Lanes of a 12 x 5 array and of a 5 x 12 one, and what they are for R rows and C columns.
_LANES = {(12, 5): "R", (5, 12): "C", (16, 8): "R↑", (8, 16): "C↑", (16, 16): "max(R, C)↑"}


def beat_lanes() -> str:
    """Values in a beat of each stream of matrices, by dataflow, for R rows, C columns and vectors of V."""
    lines = []
    for stream in ("load_a_beats", "load_b_beats", "load_c_beats", "read_c_beats"):
        cells = [
            _lanes(stream, _keeps(dataflow, stream, 1), _keeps(dataflow, stream, 4))
            for dataflow in ("ws", "os", "is", "any")
        ]
        lines.append((f"`{stream}`", *cells))
    return table(("stream", "`ws`", "`os`", "`is`", "`any`"), lines)


def _keeps(dataflow: str, stream: str, vector: int) -> tuple[int, int]:
    shape: dict[str, object] = {"dataflow": dataflow, "vector": vector, "max_m": 64, "max_n": 64, "max_k": 64}
    found = []
    for rows, cols in ((12, 5), (5, 12)):
        outside = interface(systolic_config(shape | {"rows": rows, "cols": cols}))
        (parts,) = (dict(each.parts) for each in outside.streams if each.name == stream)
        found.append(parts["keep"])
    return found[0], found[1]


def _lanes(stream: str, one: tuple[int, int], four: tuple[int, int]) -> str:
    if four == one:
        return _LANES[one]
    if four != (4 * one[0], 4 * one[1]):
        raise ValueError(f"lanes of {stream} are not understood: {one} of vector 1, {four} of vector 4")
    return f"V × {_LANES[one]}"


def memories() -> str:
    """Lanes and banks of the scratchpads by dataflow, for 12 rows and 5 columns."""
    lines = []
    for dataflow in ("ws", "os", "is", "any"):
        found = lanes(dataflow, 12, 5)
        shown = [f"{count} banks" if banked else f"one word of {count}" for count, banked in found.values()]
        lines.append((f"`{dataflow}`", *shown))
    return table(("dataflow", "A", "B", "C, each region"), lines)
