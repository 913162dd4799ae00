"""Vivado's Tcl commands for packaging, as far as the scripts use them: a real Tcl interpreter, and a model of the IP.

It infers interfaces from the X_INTERFACE attributes of the Verilog, as Vivado does, and fails for what is not there.
"""

from __future__ import annotations

import re
import tkinter
from pathlib import Path
from typing import Any

_ATTRIBUTE = re.compile(
    r'X_INTERFACE_INFO = "(\S+) (\S+) (\S+)"[^)]*\*\)\s+(?:input|output)\s+wire\s+(?:\[\d+:0\] )?(\w+)'
)
_PORT = re.compile(r"^\s+(?:input|output)\s+wire\s+(?:\[\d+:0\] )?(\w+),?$", re.M)


class FakeVivado:
    """A run of a script.

    Attributes:
        interfaces: of the IP, by name: its kind and its ports by logical name.
        properties: what was set, by (object, property).
        calls: each command with its words, in order.
    """

    def __init__(self) -> None:
        self.interfaces: dict[str, tuple[str, dict[str, str]]] = {}
        self.properties: dict[tuple[str, str], str] = {}
        self.calls: list[tuple[str, ...]] = []
        self.loose: set[str] = set()
        self._sources: list[Path] = []
        self._made: set[str] = set()
        self._tcl = tkinter.Tcl()
        for name in ("create_project", "add_files", "get_files", "current_fileset", "update_compile_order"):
            self._command(name, getattr(self, f"_{name}", self._nothing))
        self._command("set_property", self._set_property)
        self._tcl.eval("namespace eval ipx {}")
        for name in (
            *("package_project", "current_core", "get_bus_interfaces", "get_bus_parameters", "add_bus_parameter"),
            *("associate_bus_interfaces", "get_memory_maps", "add_memory_map", "get_address_blocks"),
            *("add_address_block", "add_register", "add_field"),
            *("create_xgui_files", "update_checksums", "check_integrity", "save_core"),
        ):
            self._command(f"ipx::{name}", getattr(self, f"_{name}", self._nothing))

    def source(self, script: Path, *arguments: str) -> None:
        """Runs ``script``. Raises TclError for what it may not do."""
        self._tcl.setvar("argv", " ".join(arguments))
        self._tcl.call("source", str(script))

    def registers(self) -> dict[str, dict[str, str]]:
        """Registers and their fields, ``register`` and ``register/field``, with what was set of each."""
        found: dict[str, dict[str, str]] = {}
        for (place, name), value in self.properties.items():
            if place.startswith("register:"):
                found.setdefault(place.removeprefix("register:"), {})[name] = value
        return found

    def _command(self, name: str, do: Any) -> None:
        def call(*words: str) -> Any:
            self.calls.append((name, *words))
            return do(*words)

        self._tcl.createcommand(name, call)

    def _nothing(self, *_: str) -> str:
        return ""

    def _add_files(self, *words: str) -> str:
        path = Path(words[-1])
        assert path.is_file(), path
        if path.suffix == ".v":
            self._sources.append(path)
        return ""

    def _get_files(self, path: str) -> str:
        return f"file:{Path(path).name}"

    def _current_fileset(self) -> str:
        return "sources"

    def _set_property(self, name: str, value: str, place: str) -> str:
        assert place, f"{name} is set of nothing"
        self.properties[place, name.lower()] = value
        return ""

    def _package_project(self, *words: str) -> str:
        top = self.properties["sources", "top"]
        text = "\n".join(path.read_text() for path in self._sources)
        start = text.index(f"module {top} (")
        head = text[start : text.index(");\n", start)]
        for kind, interface, logical, port in _ATTRIBUTE.findall(head):
            self.interfaces.setdefault(interface, (kind, {}))[1][logical] = port
        self.loose = {*_PORT.findall(head)} - {port for _, ports in self.interfaces.values() for port in ports.values()}
        return ""

    def _current_core(self) -> str:
        return "core"

    def _get_bus_interfaces(self, name: str, *of: str) -> str:
        assert of == ("-of_objects", "core")
        return f"bus:{name}" if name in self.interfaces else ""

    def _get_bus_parameters(self, name: str, of: str, bus: str) -> str:
        return place if (place := f"{bus}/{name}") in self._made else ""

    def _add_bus_parameter(self, name: str, bus: str) -> str:
        self._made.add(f"{bus}/{name}")
        return f"{bus}/{name}"

    def _get_memory_maps(self, name: str, *of: str) -> str:
        return f"map:{name}" if f"map:{name}" in self._made else ""

    def _add_memory_map(self, name: str, core: str) -> str:
        self._made.add(f"map:{name}")
        return f"map:{name}"

    def _get_address_blocks(self, *of: str) -> str:
        return ""

    def _add_address_block(self, name: str, memory_map: str) -> str:
        return f"block:{name}"

    def _add_register(self, name: str, block: str) -> str:
        assert block.startswith("block:")
        return f"register:{name}"

    def _add_field(self, name: str, register: str) -> str:
        return f"{register}/{name}"

    def _check_integrity(self, core: str) -> str:
        return "1"
