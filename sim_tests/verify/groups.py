"""How the signals of a core are grouped in the waveform of a failed test."""

from __future__ import annotations

#: Patterns on full signal names. Not every core has all of them.
GROUPS = {
    "control": [
        *(f"*.dut.{stream}_t{part}" for stream in ("command", "completion") for part in ("valid", "ready", "data")),
        *("*.core.flight.busy", "*.core.decoder.status"),
        *(f"*.core.{part}.{name}" for part in ("loader", "streamer") for name in ("active", "first", "last", "count")),
        *(f"*.array.{name}" for name in ("shift", "done", "swap", "pass_sum", "clear", "start", "capture", "drain")),
    ],
    "operands": [
        *("*.scratchpad_a.read_data", "*.scratchpad_b.read_data", "*.array.x", "*.array.y"),
        *(f"*.row?*?.unit.pe?*?.unit.{name}" for name in ("x_out", "y_out", "held")),
    ],
    "partial sums": [
        *(f"*.row?*?.unit.pe?*?.unit.{name}" for name in ("product", "kept", "sum_out")),
        *("*.array.seeds", "*.array.sums", "*.starts.held", "*.starts.sum", "*.starts.total"),
        *(f"*.c_region_?.array_{name}" for name in ("write", "write_address", "write_data")),
    ],
    "loads and read-outs": [
        *(f"*.dut.load_?_{stream}_t*" for stream in ("command", "beats", "answer")),
        *(f"*.dut.read_c_{stream}_t*" for stream in ("command", "beats", "answer")),
    ],
}
