"""What steps start inside a slice. Each has a function `run`, given the arguments of its command line."""
