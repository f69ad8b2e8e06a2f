"""Tests of the check itself: `cargo xtask gpu`, or `python3 -m unittest` in this directory's parent."""
