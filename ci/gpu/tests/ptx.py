"""Runs the part of PTX that the kernels of the check are written in, thread by thread, for tests without a card.

A thread runs until the next barrier; at a barrier the other threads of its block catch up. Nothing runs at the same
time, so this shows what a kernel computes, and not that it is free of races.
"""

from __future__ import annotations

import re
import struct
from typing import Any, Callable, Dict, Generator, List, Mapping, Sequence, Tuple

Values = Dict[str, Any]

_ENTRY = re.compile(r"\.visible \.entry (\w+)\(([^)]*)\)\s*\{(.*?)\n\}", re.DOTALL)
_PARAMETER = re.compile(r"\.param \.(\w+) (\w+)")
_FORMATS = {"u32": "<I", "b32": "<I", "u64": "<Q", "b64": "<Q", "f32": "<f"}


class Memory:
    """The memory of a card: what lies at which address."""

    def __init__(self, size: int) -> None:
        self.content = bytearray(size)

    def load(self, kind: str, address: int) -> Any:
        """A value of a type of PTX."""
        return struct.unpack_from(_FORMATS[kind], self.content, address)[0]

    def store(self, kind: str, address: int, value: Any) -> None:
        """Writes one."""
        struct.pack_into(_FORMATS[kind], self.content, address, value)


class Kernel:
    """One kernel of a text."""

    def __init__(self, text: str, name: str) -> None:
        found = {match[0]: match for match in _ENTRY.findall(text)}
        _, parameters, body = found[name]
        self.parameters = [name for _, name in _PARAMETER.findall(parameters)]
        self.labels: Dict[str, int] = {}
        self.code: List[Tuple[str, str, List[str]]] = []
        for line in filter(None, map(str.strip, body.splitlines())):
            if line.endswith(":"):
                self.labels[line[:-1]] = len(self.code)
            elif not line.startswith(".reg"):
                self.code.append(_parse(line))

    def launch(
        self,
        memory: Memory,
        grid: Tuple[int, int],
        block: Tuple[int, int],
        arguments: Sequence[int],
        clock: Callable[[], int],
    ) -> None:
        """Runs all blocks, one after the other. `clock` is the card's timer."""
        given = dict(zip(self.parameters, arguments))
        for y in range(grid[1]):
            for x in range(grid[0]):
                place = {"%ctaid.x": x, "%ctaid.y": y, "%nctaid.x": grid[0], "%nctaid.y": grid[1]}
                threads = [
                    _Thread(self, memory, {**place, "%tid.x": i, "%tid.y": j}, given, clock).run()
                    for j in range(block[1])
                    for i in range(block[0])
                ]
                while threads:
                    threads = [thread for thread in threads if next(thread, "ended") == "barrier"]


def _parse(line: str) -> Tuple[str, str, List[str]]:
    """Its condition, operation and operands."""
    match = re.fullmatch(r"(?:@(!?%\w+) )?([\w.]+)\s*(.*);", line)
    assert match, line
    operands = [word.strip() for word in match[3].split(",")] if match[3] else []
    return match[1] or "", match[2], operands


class _Thread:
    def __init__(
        self, kernel: Kernel, memory: Memory, place: Values, given: Mapping[str, int], clock: Callable[[], int]
    ) -> None:
        self._kernel, self._memory, self._given, self._clock = kernel, memory, given, clock
        self._values = place

    def run(self) -> Generator[str, None, None]:
        """Runs to its end, with a pause at every barrier."""
        at = 0
        while True:
            condition, operation, operands = self._kernel.code[at]
            at += 1
            if condition and self._values[condition.lstrip("!")] == condition.startswith("!"):
                continue
            if operation == "ret":
                return
            if operation == "bar.sync":
                yield "barrier"
            elif operation == "bra":
                at = self._kernel.labels[operands[0]]
            elif operation != "membar.gl":
                self._execute(operation.split("."), operands)

    def _execute(self, words: List[str], operands: List[str]) -> None:
        name, kind = words[0], words[-1]
        if name in ("ld", "st", "atom", "red"):
            self._access(words, kind, operands)
            return
        target, *sources = operands
        a, b, c = [*(self._read(kind, one) for one in sources), 0, 0][:3]
        if name == "setp":
            self._values[target] = {"lt": a < b, "eq": a == b, "ne": a != b}[words[1]]
            return
        results: Dict[str, Callable[[], Any]] = {
            "mov": lambda: a,
            "cvta": lambda: a,
            "or": lambda: a | b,
            "add": lambda: a + b,
            "sub": lambda: a - b,
            "mul": lambda: a * b,
            "mad": lambda: a * b + c,
            "fma": lambda: a * b + c,
        }
        wide = "u64" if "wide" in words else kind
        self._values[target] = _fit(wide, results[name]())

    def _access(self, words: List[str], kind: str, operands: List[str]) -> None:
        if words[1] == "param":
            self._values[operands[0]] = self._given[operands[1].strip("[]")]
            return
        place = operands[0] if words[0] in ("st", "red") else operands[1]
        base, _, offset = place.strip("[]").partition("+")
        address = self._values[base] + int(offset or 0)
        old = self._memory.load(kind, address)
        value = self._read(kind, operands[-1]) if words[0] != "ld" else 0
        stored: Dict[str, Callable[[], Any]] = {
            "min": lambda: min(old, value),
            "inc": lambda: 0 if old >= value else old + 1,
            "exch": lambda: value,
            "add": lambda: _fit(kind, old + value),
        }
        if words[0] == "st":
            self._memory.store(kind, address, value)
        elif words[0] in ("atom", "red"):
            self._memory.store(kind, address, stored[words[2]]())
        if words[0] in ("ld", "atom"):
            self._values[operands[0]] = old

    def _read(self, kind: str, operand: str) -> Any:
        if operand == "%globaltimer":
            return self._clock()
        if operand.startswith("%"):
            return self._values[operand]
        if operand.startswith("0f"):
            return struct.unpack(">f", bytes.fromhex(operand[2:]))[0]
        return int(operand, 0)


def _fit(kind: str, value: Any) -> Any:
    """As a register of this type holds it."""
    if kind == "f32":
        return struct.unpack("<f", struct.pack("<f", value))[0]
    return value % (1 << int(kind[1:]))
