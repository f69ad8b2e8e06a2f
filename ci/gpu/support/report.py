"""How a step tells what it found: one line a fact on standard output, at once."""

import sys


def fact(name, value):
    """Something measured."""
    print(f"{name} = {value}", flush=True)


def skip(name, reason):
    """Something that cannot be measured here."""
    print(f"{name} = skipped: {reason}", flush=True)


def expect(name, holds, found):
    """Something promised. A broken promise fails the whole check, after the rest of the step."""
    print(f"{name} = {'ok' if holds else 'FAILED'}: {found}", flush=True)


def mib(size):
    """A number of bytes in MiB, exact."""
    return f"{size / (1 << 20):g} MiB"


def give_up(reason):
    """Ends a step of which nothing can be measured here."""
    print(f"* = skipped: {reason}", flush=True)
    sys.exit(0)
