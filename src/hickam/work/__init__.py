"""Work in parts: planned as tasks, spread over processes or machines, resumed and checked."""
