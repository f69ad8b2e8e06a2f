"""The conformance program: more than a thousand questions to the driver, and the same with the library before it."""

from __future__ import annotations

import os
import sys
from typing import Dict, Mapping, Sequence

from gpucheck.support import settings
from gpucheck.support.process import finish, last_line
from gpucheck.support.report import fact, fail, promise, skip
from gpucheck.support.slices import preloaded

_SECONDS = 40.0
_LIMIT = "2Gi"
_MOST = 20
"""Differences that are told one by one; the log has all answers."""


def run() -> None:
    """What the driver answers otherwise than believed is found out natively; the library must change nothing of it."""
    program = settings.program("conformance")
    if not program.exists():
        skip("all", "not in the bundle")
        return
    command = [str(program)]
    native = _answers("natively", command, os.environ)
    for name, answer in native.items():
        if answer.startswith("fact "):
            fact(name, answer.partition(" ")[2], how="conformance program")
        elif answer.startswith("fail "):
            fail(name, answer.partition(" ")[2])
    _compare("with the library", native, _answers("with the library", command, preloaded()))
    inside = [*settings.vgpu_run("--memory", _LIMIT), *command]
    _compare(f"in a slice of {_LIMIT}", native, _answers("in a slice", inside, os.environ))


def _answers(way: str, command: Sequence[str], environment: Mapping[str, str]) -> Dict[str, str]:
    """Every question with the kind of its answer, and what was said of it."""
    finished = finish(command, environment, _SECONDS)
    sys.stderr.write(f"--- {way}\n{finished.stdout}{finished.stderr}")
    answers = {}
    for line in finished.stdout.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in ("ok", "fail", "skip", "fact"):
            name, _, found = rest.partition(": ")
            answers[name] = f"{kind} {found}"
    promise(f"{way}: it runs to its end", answers != {}, last_line(finished.stdout or finished.stderr))
    return answers


def _compare(way: str, native: Dict[str, str], found: Dict[str, str]) -> None:
    """Facts are figures of one run; everything else is the same in every run."""
    names = [name for name, answer in {**found, **native}.items() if not answer.startswith("fact ")]
    other = [name for name in names if found.get(name) != native.get(name)]
    promise(f"{way}: every answer is the native one", not other, f"{len(other)} of {len(names)} differ")
    for name in other[:_MOST]:
        fail(name, f"{way}: {found.get(name, 'not asked')}; natively: {native.get(name, 'not asked')}")
