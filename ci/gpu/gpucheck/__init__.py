"""The check for real cards. `ci/gpu/check` starts it; docs/real-gpu.md explains it."""
