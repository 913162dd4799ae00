"""A few shapes as SVG text; the same calls give the same bytes."""

from __future__ import annotations

from xml.sax.saxutils import escape

INK, GREY, LINE = "#1f2933", "#697586", "#9aa5b1"
TINTS = ("#b9d7f5", "#f8d3a4", "#c5e8c5")
"""Fills for what is told apart by colour; readable under black text."""


class Drawing:
    """A drawing of ``width`` x ``height`` pixels on white, with an arrow head to end lines in."""

    def __init__(self, width: float, height: float) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">',
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        ]

    def box(self, x: float, y: float, width: float, height: float, *, fill: str = "none") -> None:
        """A rectangle."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{LINE}"/>'
        )

    def arrow(self, *points: tuple[float, float], head: bool = True) -> None:
        """A line through ``points`` that ends in an arrow head."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        marker = ' marker-end="url(#head)"' if head else ""
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.4"{marker}/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 12,
        middle: bool = False,
        end: bool = False,
        bold: bool = False,
        fill: str = INK,
    ) -> None:
        """A line of text; ``x`` is its start, its ``middle`` or its ``end``."""
        anchor = ' text-anchor="middle"' if middle else ' text-anchor="end"' if end else ""
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{anchor}{weight}>{escape(words)}</text>'
        )

    def svg(self) -> str:
        """The drawing's text."""
        return "\n".join([*self._parts, "</svg>"]) + "\n"
