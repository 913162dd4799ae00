"""Elements of XML in the namespace of IP-XACT, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr


@dataclass(frozen=True)
class Element:
    """An element: its attributes, and either text, escaped already, or elements."""

    name: str
    attributes: Mapping[str, str]
    content: tuple[Element, ...] | str


def element(name: str, *content: Element | str, attributes: Mapping[str, str] | None = None) -> Element:
    """The element ``spirit:name`` of elements, or of one text."""
    texts = [part for part in content if isinstance(part, str)]
    inner = tuple(part for part in content if isinstance(part, Element))
    if texts and (inner or len(texts) > 1):
        raise ValueError(f"content of {name} must be elements or one text")
    return Element(name, attributes or {}, texts[0] if texts else inner)


def xml_text(root: Element) -> str:
    """A document."""
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_lines(root, ""), ""])


def _lines(each: Element, indent: str) -> Iterable[str]:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in each.attributes.items())
    tag = f"spirit:{each.name}"
    if isinstance(each.content, str):
        yield f"{indent}<{tag}{attributes}>{each.content}</{tag}>"
    elif not each.content:
        yield f"{indent}<{tag}{attributes}/>"
    else:
        yield f"{indent}<{tag}{attributes}>"
        for inner in each.content:
            yield from _lines(inner, f"{indent}  ")
        yield f"{indent}</{tag}>"
