"""How cuMemAlloc rounds, shares chunks among small allocations, and gives them back."""

from driver import KIB, MIB, Driver
from report import fact, mib

SIZES = [1, 4 * KIB, 512 * KIB, MIB, MIB + 1, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 3 * MIB]


def taken(driver, act):
    """By how much `act` lowers free memory, and what it returns."""
    before = driver.free()
    result = act()
    return before - driver.free(), result


driver = Driver()
for size in SIZES:
    first, a = taken(driver, lambda: driver.allocate(size))
    second, b = taken(driver, lambda: driver.allocate(size))
    one, _ = taken(driver, lambda: driver.release(b))
    both, _ = taken(driver, lambda: driver.release(a))
    fact(
        f"allocating {size} bytes twice",
        f"takes {mib(first)}, then {mib(second)}; freeing gives back {mib(-one)}, then {mib(-both)}",
    )

a, b = driver.allocate(1), driver.allocate(1)
fact("distance of two 1-byte allocations", f"{abs(b - a)} bytes")
driver.release(a)
driver.release(b)

before = driver.free()
many = [driver.allocate(4 * KIB) for _ in range(2048)]
fact("2048 allocations of 4 KiB take", mib(before - driver.free()))
for pointer in many[::2]:
    driver.release(pointer)
fact("after freeing every second one, still taken", mib(before - driver.free()))
for pointer in many[1::2]:
    driver.release(pointer)
fact("after freeing all, still taken", mib(before - driver.free()))
