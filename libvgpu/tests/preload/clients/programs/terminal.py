"""Runs a program on a terminal of 40 lines of 160 characters, and prints what it writes there.

usage: terminal.py KEY TEXT[,TEXT...] PROGRAM [ARGUMENT...]
KEY is pressed when every TEXT has been written, or after two minutes, whichever is first.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

key, texts, program = sys.argv[1].encode(), sys.argv[2].encode().split(b","), sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    os.execv(program[0], program)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
written = bytearray()
patience = time.monotonic() + 120
while True:
    try:
        if select.select([terminal], [], [], 1)[0]:
            written += os.read(terminal, 65536)
        if all(text in written for text in texts) or time.monotonic() > patience:
            os.write(terminal, key)
    except OSError:  # how a terminal says that nobody is left on its other side
        break
sys.stdout.buffer.write(written)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
