"""How many launches a stream takes before the next one waits."""

import time

from driver import Driver
from kernels import Spin
from report import fact

LIMIT = 5000
BLOCKED_S = 0.02

driver = Driver()
first, rest = Spin(driver, 1500), Spin(driver, 0.001)
stream = driver.stream()
rest.launch(stream)
driver.synchronize()
first.launch(stream)
depth = 1
for depth in range(2, LIMIT):
    start = time.monotonic()
    rest.launch(stream)
    if time.monotonic() - start > BLOCKED_S:
        break
fact("launches in a stream before one waits", depth - 1 if depth < LIMIT - 1 else f"at least {depth}")
driver.synchronize()
