"""The command line: parse, call, render; nothing else."""
