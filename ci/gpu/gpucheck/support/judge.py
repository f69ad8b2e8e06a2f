"""Judges shares: what a limited program achieved, against the same program natively, in the same run."""

from __future__ import annotations

from statistics import mean
from typing import Any, Mapping, Optional, Sequence

from . import settings
from .process import Conversation
from .report import fact, promise, skip

ALLOWED_POINTS = 2.0
"""By how much a share of GPU time may be off on a real card, on average."""

_ALLOWED_REHEARSED = 20.0
"""In a rehearsal, which runs beside everything else that a machine has to do: less than a limit that nobody keeps."""

_STEADY = 0.03
_SAME_CLOCK = 0.01
STARVED = 0.15
"""The part of its time that a program may wait for a processor and still be believed."""

_SAME_SPEED = 0.015
"""By how much the clock of the multiprocessors may differ between what is compared."""

_ALONE, _ALONE_REHEARSED = 0.95, 0.3
_LOOKS, _LOOK_SECONDS = 3, 0.4
_MILLISECONDS_A_UNIT = 2

Play = Mapping[str, Any]
"""What a player answered."""


def rate(play: Play) -> float:
    """Units a second, by the card's clock."""
    return float(play["units"]) / float(play["device_seconds"])


def occupied(natives: Sequence[Play]) -> float:
    """The part of the card's time that the program has natively: less than all where it waits for itself."""
    return min(1.0, mean(float(play["fed_seconds"]) / float(play["device_seconds"]) for play in natives))


def achieved(play: Play, natives: Sequence[Play]) -> float:
    """Percent of the card's time: the part of the native rate, of what the program has natively."""
    return 100.0 * occupied(natives) * rate(play) / mean(rate(native) for native in natives)


def void(plays: Sequence[Play], natives: Sequence[Play]) -> Optional[str]:
    """Why these figures tell nothing, if they do not."""
    rates = [rate(native) for native in natives]
    if max(rates) > (1 + _STEADY) * min(rates):
        spread = f"{100 * (max(rates) / min(rates) - 1):.1f} %"
        return f"natively it ran {spread} faster at one time than at another: others use the card, or its clock changes"
    for play in [*plays, *natives]:
        if play["starved"] > STARVED:
            return f"{100 * play['starved']:.0f} % of its time it waited for a processor"
        if abs(play["seconds"] / play["device_seconds"] - 1) > _SAME_CLOCK:
            return f"{play['seconds']:.3f} s by the host's clock are {play['device_seconds']:.3f} s by the card's"
    return _speeds(plays, natives)


def _speeds(plays: Sequence[Play], natives: Sequence[Play]) -> Optional[str]:
    """Whether the card was cooler in a slice and ran faster, or slower where it dozed."""
    known = [play.get("megahertz") for play in natives]
    if not all(known):
        return None
    native = mean(float(one) for one in known if one)
    for play in plays:
        own = play.get("megahertz") or native
        if abs(own / native - 1) > _SAME_SPEED:
            return f"it ran at {own:.0f} MHz, natively at {native:.0f}"
    return None


def crowded(native: Conversation) -> Optional[str]:
    """Why the card cannot be judged by what a program does natively: it is not alone there, however steadily.

    A kernel of 1 ms takes that on every card, so whoever is alone does a thousand a second.
    """
    least, best = (_ALONE_REHEARSED if settings.simulated() else _ALONE), 0.0
    for _ in range(_LOOKS):
        play = native.ask("play", "kernels of 1 ms", 0.1, _LOOK_SECONDS)
        best = max(best, rate(play) * _MILLISECONDS_A_UNIT / 1e3)
        if best >= least:
            return None
    return f"inconclusive: natively the card does {1e3 * best:.0f} kernels of 1 ms a second; others use it"


def tell(name: str, holds: bool, found: str, how: str, plays: Sequence[Play], natives: Sequence[Play]) -> bool:
    """Tells whether a promise holds, unless the figures tell nothing. Returns whether they do.

    A rehearsal, beside which a machine does other things, must not hold them against anybody who came off well.
    """
    reason = void(plays, natives)
    told = reason is None or (holds and settings.simulated())
    if told:
        promise(name, holds, found, how)
    else:
        skip(name, f"inconclusive: {reason}; {found}")
    return told


def share(name: str, percent: float, play: Play, natives: Sequence[Play]) -> Optional[float]:
    """Tells whether a program had its share, or all that it can use if that is less. Returns what it had."""
    had, due = achieved(play, natives), min(percent, 100.0 * occupied(natives))
    allowed = _ALLOWED_REHEARSED if settings.simulated() else ALLOWED_POINTS
    found = f"{had:.2f} % of the card's time, {due:.2f} % are due"
    how = f"{play['units']} units in {play['device_seconds']:.2f} s{_kernels(play)}"
    holds = any(abs(one - due) <= allowed for one in (had, _simulated(play, had)))
    told = tell(name, holds, found, how, [play], natives)
    return had / due if told else None


def _simulated(play: Play, had: float) -> float:
    """What it had by the stated times of its kernels, which no busy machine makes longer; on a real card as it was."""
    if not settings.simulated() or play["kernel_seconds"] is None:
        return had
    return 100.0 * float(play["kernel_seconds"]) / float(play["device_seconds"])


def _kernels(play: Play) -> str:
    """What the kernels say of themselves, which leaves out the gaps between them."""
    if play["kernel_seconds"] is None:
        return ""
    return f", of which kernels say that they ran {100 * play['kernel_seconds'] / play['device_seconds']:.2f} %"


def kept(name: str, parts: Sequence[Optional[float]]) -> None:
    """Tells how much of its share a program could use, on average over its limits."""
    known = [part for part in parts if part is not None]
    if known:
        fact(name, round(100.0 * mean(known), 2), "%", "of what is due, mean over its limits; the goal is 98")
