"""Sizes, and how quantities are written for people."""

from __future__ import annotations

from typing import Union

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

Value = Union[int, float, bool, str]
"""A measured value: a quantity in the unit given beside it, or text."""


def text(value: Value, unit: str) -> str:
    """`value` with its unit. Bytes are exact: a rounded size would hide the byte that is missing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if unit == "bytes":
        return size(int(value))
    number = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
    return f"{number} {unit}".rstrip()


def size(count: int) -> str:
    """A number of bytes in the largest unit that is exact."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count and count % unit == 0:
            return f"{count // unit:,} {name}"
    return f"{count:,} bytes"
