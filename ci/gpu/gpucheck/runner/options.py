"""The command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import List, Sequence

from .plan import STEPS, Step

PROFILES = ("470", "535", "550", "570", "580", "615")
_DEFAULT_PROFILE = "550"


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    profile: str
    """The simulated driver's version; empty for a real card."""
    steps: List[Step]


def parse(arguments: Sequence[str]) -> Options:
    """Reads the command line; ends the program with an explanation if it cannot."""
    parser = argparse.ArgumentParser(
        prog="check",
        description="Checks vgpu on a real card in at most six minutes. Needs Python 3.8 and the NVIDIA driver.",
        epilog="Each result is at once one line of results.jsonl in $OUT (default: ./gpu-results). Beside it are "
        "log.txt, with what programs printed, and table.txt, with all results. Exit status 1 when anything failed, "
        "2 when nothing could be run: there is no driver, nothing is built, or the results cannot be written.",
    )
    parser.add_argument(
        "--sim",
        default="",
        choices=PROFILES,
        metavar="[PROFILE]",
        help=f"rehearse on the simulated card with this driver: {', '.join(PROFILES)}; default {_DEFAULT_PROFILE}",
    )
    names = [step.name for step in STEPS]
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"only these: {', '.join(names)}")
    # Not an optional value for argparse, which would take the name of a step for it.
    parsed = parser.parse_args([f"--sim={_DEFAULT_PROFILE}" if word == "--sim" else word for word in arguments])
    for name in parsed.steps:
        if name not in names:
            parser.error(f"there is no step {name}; there are {', '.join(names)}")
    # Alone, a step does not wait for others to succeed.
    chosen = [Step(step.name, step.seconds) for step in STEPS if step.name in parsed.steps]
    return Options(parsed.sim, chosen or STEPS)
