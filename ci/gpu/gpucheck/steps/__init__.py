"""What is checked, one subject a file. Each has a function `run`, which a process of its own executes."""
