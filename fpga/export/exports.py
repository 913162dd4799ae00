"""The exports by name, each a folder of files with a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping

from tilewright.fpga.export.fusesoc import fusesoc
from tilewright.fpga.export.litex import litex
from tilewright.fpga.export.product import Product, product_of
from tilewright.fpga.export.vivado import vivado
from tilewright.generators.config.systolic import SystolicConfig

EXPORTS: Mapping[str, Callable[[Product], dict[str, str]]] = {"vivado": vivado, "fusesoc": fusesoc, "litex": litex}


def exporter(name: str) -> Callable[[SystolicConfig], dict[str, str]]:
    """The export ``name``: file name to text of everything that a configuration becomes. The same bytes every time."""

    def run(config: SystolicConfig) -> dict[str, str]:
        product = product_of(config)
        files = EXPORTS[name](product)
        return {**files, "manifest.json": _manifest(name, product, files)}

    return run


def _manifest(name: str, product: Product, files: Mapping[str, str]) -> str:
    document = {
        "tool": "tilewright",
        "version": product.version,
        "command": product.command,
        "export": name,
        "module": product.top,
        "files": {
            file: {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
            for file, text in files.items()
        },
    }
    return json.dumps(document, indent=2) + "\n"
