"""What independent front ends say of emitted Verilog, without what is waived."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType

import pyslang

from tilewright.sim_tests.harness.lint import lint


@dataclass(frozen=True)
class Readers:
    """Front ends for designs whose top is ``module``; ``waivers``: lines ``tool module rule: reason`` of a file."""

    module: str
    waivers: Path

    @property
    def waived(self) -> list[list[str]]:
        """(tool, pattern of modules, rule) of all waivers."""
        lines = self.waivers.read_text().splitlines()
        return [line.partition(":")[0].split() for line in lines if not line.startswith("#")]

    def _is_waived(self, tool: str, module: str, rule: str) -> bool:
        return any(
            t == tool and fnmatch(module, f"{self.module}_{m}" if m != "*" else m) and r == rule
            for t, m, r in self.waived
        )

    def verilator_faults(self, text: str, models: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """Lines of Verilator's on a design, beside models of cells."""
        faults = []
        for line in lint({f"{self.module}.v": text, **models}, self.module):
            match = re.match(r"%(?:Warning|Error)-?(\w*): \S+?:(\d+)", line)
            rule, number = (match[1], int(match[2])) if match else ("", 0)
            if not self._is_waived("verilator", module_at(text, number), rule):
                faults.append(line)
        return faults

    def pyslang_faults(self, text: str, models: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """Lines of the text that pyslang has something to say of, likewise."""
        text = "\n".join((text, *models.values()))
        tree = pyslang.syntax.SyntaxTree.fromText(text)
        compilation = pyslang.ast.Compilation()
        compilation.addSyntaxTree(tree)
        faults = []
        for diagnostic in compilation.getAllDiagnostics():
            number = tree.sourceManager.getLineNumber(diagnostic.location)
            rule = str(diagnostic.code).removeprefix("DiagCode(").removesuffix(")")
            if not self._is_waived("pyslang", module_at(text, number), rule):
                faults.append(f"{number}: {rule}: {text.splitlines()[number - 1]}")
        return faults


def module_at(text: str, number: int) -> str:
    """The module that line ``number`` belongs to."""
    names = re.findall(r"^module (\w+)", "\n".join(text.splitlines()[:number]), re.M)
    return names[-1] if names else ""
