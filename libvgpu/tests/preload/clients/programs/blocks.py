"""What every program here does: takes memory in blocks until it is refused or has enough, and says how many it got."""

BLOCK = 100 << 20
ENOUGH = 12


def take(allocate, refusal):
    """Calls `allocate(BLOCK)` up to `ENOUGH` times, until it raises `refusal`. Answers with what it got, to keep it alive."""
    held = []
    try:
        while len(held) < ENOUGH:
            held.append(allocate(BLOCK))
    except refusal:
        print("refused")
    print("blocks", len(held))
    return held
