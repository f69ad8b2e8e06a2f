"""How a step tells what it found. Each call is one line in the results, written before the next thing is tried."""

from __future__ import annotations

import traceback
from contextlib import contextmanager
from typing import Iterator

from . import channel, settings
from .errors import CallFailed, Unsupported
from .units import Value, text


def fact(name: str, value: Value, unit: str = "", how: str = "") -> None:
    """Something measured, and how it was measured."""
    channel.send({"name": name, "outcome": "fact", "value": value, "unit": unit, "text": text(value, unit), "how": how})


def promise(name: str, holds: bool, found: str, how: str = "") -> None:
    """Something that vgpu promises. A broken promise fails the whole check, after everything else has run."""
    channel.send({"name": name, "outcome": "ok" if holds else "failed", "text": found, "how": how})


def equal(name: str, found: int, expected: int, unit: str = "") -> None:
    """A promise that one number is another one."""
    wanted = "" if found == expected else f", not {text(expected, unit)}"
    promise(name, found == expected, text(found, unit) + wanted)


def skip(name: str, reason: str) -> None:
    """Something that cannot be found out here."""
    channel.send({"name": name, "outcome": "skipped", "text": reason})


def fail(name: str, reason: str) -> None:
    """Something that went wrong in a way nobody expected."""
    channel.send({"name": name, "outcome": "failed", "text": reason})


@contextmanager
def subject(name: str) -> Iterator[None]:
    """One thing to find out. What it cannot find out does not keep the step from the next thing."""
    try:
        yield
    except Unsupported as error:
        reason = "not simulated" if settings.simulated() else "this driver does not have it"
        skip(name, f"{reason}: {error}")
    except CallFailed as error:
        traceback.print_exc()
        fail(name, str(error))


@contextmanager
def optional(name: str) -> Iterator[None]:
    """As `subject`, for what some machines do not tell, whatever code they say that with."""
    try:
        yield
    except CallFailed as error:
        skip(name, str(error))
