"""Shares are judged by what was achieved against natively, and figures that tell nothing are not judged."""

from __future__ import annotations

import os
import unittest
from typing import Any, Dict, List, Optional
from unittest import mock

from gpucheck.steps.priority import percentile
from gpucheck.steps.speed import LIMITED, NATIVE, PRELOADED, told
from gpucheck.support import channel, judge, settings

NATIVELY = 1000


def play(units: int, fed: float = 1.0, seconds: float = 1.0, starved: float = 0.0) -> Dict[str, Any]:
    """What a player says after a second by the card's clock."""
    return {
        "units": units,
        "seconds": seconds,
        "device_seconds": 1.0,
        "fed_seconds": fed,
        "kernel_seconds": 0.9 * fed,
        "starved": starved,
    }


class JudgeTest(unittest.TestCase):
    """Of a program that natively does 1,000 units a second, as on a real card."""

    def setUp(self) -> None:
        self.sent: List[Dict[str, Any]] = []
        for patch in (
            mock.patch.dict(os.environ, {settings.PROFILE_VARIABLE: ""}),
            mock.patch.object(channel, "send", self.sent.append),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def share(self, percent: float, found: Dict[str, Any], fed: float = 1.0, native: int = NATIVELY) -> Optional[float]:
        return judge.share("it", percent, found, [play(NATIVELY, fed), play(native, fed)])

    def outcome(self) -> str:
        return str(self.sent[-1]["outcome"])

    def test_a_share_within_two_points_holds_and_one_beyond_does_not(self) -> None:
        for units, outcome in (
            (300, "ok"),
            (319, "ok"),
            (281, "ok"),
            (325, "failed"),
            (275, "failed"),
            (1000, "failed"),
        ):
            self.share(30, play(units))
            self.assertEqual(self.outcome(), outcome, units)

    def test_who_waits_for_itself_natively_is_due_no_more_than_it_uses(self) -> None:
        # Natively the card has work for it in 60 % of the time: at 90 % nothing holds it back, at 30 % half of it.
        self.assertAlmostEqual(self.share(90, play(1000, 0.6), 0.6) or 0, 1.0)
        self.assertEqual(self.outcome(), "ok")
        self.share(30, play(500, 0.3), 0.6)
        self.assertEqual(self.outcome(), "ok")
        self.share(30, play(300, 0.18), 0.6)
        self.assertEqual(self.outcome(), "failed")

    def test_a_card_that_changes_in_between_judges_nobody(self) -> None:
        self.assertIsNone(self.share(30, play(300), native=1100))
        self.assertEqual(self.outcome(), "skipped")
        self.assertIn("natively it ran 10.0 % faster at one time", self.sent[-1]["text"])

    def test_clocks_that_disagree_and_a_busy_machine_judge_nobody(self) -> None:
        for found in (play(300, seconds=1.2), play(300, starved=0.5)):
            self.assertIsNone(self.share(30, found))
            self.assertEqual(self.outcome(), "skipped")

    def test_a_rehearsal_notices_a_limit_that_nobody_keeps(self) -> None:
        with mock.patch.dict(os.environ, {settings.PROFILE_VARIABLE: "550"}):
            self.share(30, play(1000))
            self.assertEqual(self.outcome(), "failed")
            self.share(30, play(400))
            self.assertEqual(self.outcome(), "ok")
            # Natively the machine had no time for it, as its kernels say that know how long they are.
            self.share(30, play(1000, fed=0.3))
            self.assertEqual(self.outcome(), "ok")

    def test_a_neighbour_that_is_steadily_there_is_noticed(self) -> None:
        # Two kernels of 1 ms are a unit.
        for units, noticed in ((499, False), (480, False), (250, True)):
            native = mock.Mock()
            native.ask.return_value = play(units)
            self.assertEqual(judge.crowded(native) is not None, noticed, units)
        # A card that has slept begins slowly.
        native.ask.side_effect = [play(250), play(499)]
        self.assertIsNone(judge.crowded(native))

    def test_speed_is_judged_to_half_a_percent_unless_the_native_one_varies_more(self) -> None:
        steady, varying = [1000.0, 1001, 1000, 999, 1000], [1000.0, 1050, 950, 900, 1100]
        for native, lost, outcome in ((steady, 0.4, "ok"), (steady, 0.6, "failed"), (varying, 0.6, "skipped")):
            slower = [1000.0 - 10 * lost] * 5
            told("it", {NATIVE: list(native), PRELOADED: slower, LIMITED: slower})
            self.assertEqual(self.outcome(), outcome, (native, lost))

    def test_a_percentile_is_a_value_that_was_measured(self) -> None:
        values = [float(i) for i in range(1, 101)]
        self.assertEqual([percentile(values, p) for p in (50, 99, 100)], [50.0, 99.0, 100.0])
        self.assertEqual(percentile([7.0], 99), 7.0)

    def test_a_card_that_runs_faster_where_it_is_cooler_judges_nobody(self) -> None:
        natives = [{**play(NATIVELY), "megahertz": 1400.0}] * 2
        for megahertz, outcome in ((1980.0, "skipped"), (1405.0, "failed"), (None, "failed")):
            judge.share("it", 30, {**play(400), "megahertz": megahertz}, natives)
            self.assertEqual(self.outcome(), outcome, megahertz)
