"""A drawing of boxes and lines by hand, for tests: 640 by 420 px."""

from __future__ import annotations

HEAD = (
    '<marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L10 5L0 10z" fill="#333"/></marker>'
)


def box(x: float, y: float, label: str, more: str = 'fill="#cfe2f3" stroke="#4a90c4"') -> str:
    return (
        f'<rect x="{x}" y="{y}" width="100" height="40" {more}/>'
        f'<text x="{x + 50}" y="{y + 25}" text-anchor="middle">{label}</text>'
    )


def line(d: str, more: str = 'marker-end="url(#a)"') -> str:
    return f'<path d="{d}" stroke="#333" fill="none" {more}/>'


def drawing(*items: str) -> bytes:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 420" width="640" height="420" font-family="Arial"'
        f' font-size="14"><defs>{HEAD}</defs><rect width="640" height="420" fill="#fff"/>{"".join(items)}</svg>'
    ).encode()


ROW = (box(20, 20, "Client"), box(220, 20, "Relay"), box(420, 20, "Server"))
