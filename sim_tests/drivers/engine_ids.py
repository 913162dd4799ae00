"""An engine behind ports with IDs, for subordinates that know no ports without."""

from __future__ import annotations

import re

_PORT = re.compile(r"^ *(input|output) +wire +((?:\[[0-9]+:0\] )?)(\w+),?$", re.MULTILINE)
_IDS = {"m_axi_awid": "output", "m_axi_arid": "output", "m_axi_bid": "input", "m_axi_rid": "input"}


def with_ids(top: str, name: str) -> str:
    """A module ``name`` around the module whose text is ``top``: the same ports, and IDs of one bit, always 0."""
    inner = re.search(r"^module (\w+)", top, re.MULTILINE)
    ports = _PORT.findall(top)
    if inner is None or not ports:
        raise ValueError("top must be the text of a module with its ports, a line each")
    declared = [f"  {way} wire {width}{port}" for way, width, port in ports]
    declared += [f"  {way} wire [0:0] {port}" for port, way in _IDS.items()]
    tied = [f"  assign {port} = 1'b0;" for port, way in _IDS.items() if way == "output"]
    wired = [f"    .{port}({port})" for _, _, port in ports]
    return "\n".join(
        [
            f"module {name} (",
            ",\n".join(declared),
            ");",
            *tied,
            f"  {inner[1]} engine (",
            ",\n".join(wired),
            "  );",
            "endmodule",
            "",
        ]
    )
