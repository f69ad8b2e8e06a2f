#!/usr/bin/env python3
"""Runs the commands of the book's sessions and writes what they say into the pages.

    ci/demo/sessions.py STAGE PAGE...

The first line of every block of a page that is marked `console` is a command behind `$ `. It is run with the programs of the
directory STAGE (which `cargo xtask stage` prints), and the rest of the block is replaced by what it says. Meanwhile a slice of
1 GiB is running in which a program holds 400 MiB and has been refused more. STAGE is shown as /opt/vgpu, and the
directory of the slices as /run/user/1000; $SLICE names the slice.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MIB = 1 << 20


class Slice:
    """A program in a slice that does what it is told."""

    def __init__(self, environment):
        command = ["vgpu", "run", "--sim", "--memory", "1Gi", "--", "puppet"]
        pipe = subprocess.PIPE
        self.program = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def tell(self, line):
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        return self.program.stdout.readline().split()

    def work(self):
        self.tell("cuInit 0")
        context = self.tell("cuDevicePrimaryCtxRetain out 0")[-1]
        self.tell(f"cuCtxSetCurrent {context}")
        self.tell(f"cuMemAlloc_v2 out {400 * MIB}")
        refused = self.tell(f"cuMemAlloc_v2 out {1024 * MIB}")
        assert refused[0] == "2", refused

    def end(self):
        self.program.stdin.close()
        self.program.wait()


def say(command, environment, places):
    output = subprocess.run(
        ["sh", "-c", command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    said = "\n".join(line.rstrip() for line in output.stdout.strip("\n").splitlines())
    for place, shown in places.items():
        # In a table, what is behind the path stays in its column.
        column = re.compile(re.escape(place) + r"(\S*)(  +)")
        said = column.sub(lambda found: shown + found[1] + found[2] + " " * (len(place) - len(shown)), said)
        said = said.replace(place, shown)
    return said


def renew(block, environment, places):
    command = block.splitlines()[0]
    return f"{command}\n{say(command.removeprefix('$ '), environment, places)}\n"


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: ci/demo/sessions.py STAGE PAGE...")
    stage = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, XDG_RUNTIME_DIR=home, VGPU_SIM_SOCKET=f"{home}/sim/socket")
        environment["PATH"] = f"{stage}/bin:{environment['PATH']}"
        places = {str(stage): "/opt/vgpu", home: "/run/user/1000"}
        others = subprocess.run(["vgpu", "ps"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        if others:
            sys.exit(f"sessions.py: other slices would be shown as well; end them, or remove their files from /dev/shm\n{others}")
        held = Slice(environment)
        held.work()
        # For sessions that have to name it.
        environment["SLICE"] = f"run-{held.program.pid}"
        try:
            for page in map(pathlib.Path, sys.argv[2:]):
                text = page.read_text(encoding="utf-8")
                block = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
                page.write_text(block.sub(lambda found: renew(found[0], environment, places), text), encoding="utf-8")
        finally:
            held.end()


if __name__ == "__main__":
    main()
