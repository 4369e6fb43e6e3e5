"""A short run of every fuzz target; `make fuzz` is the long one."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from run import attempt, fuzz, input_of
from targets import TARGETS

EXECUTIONS = 150


@pytest.mark.parametrize("target", TARGETS)
def test_random_inputs_are_read_or_refused(target):
    for number in range(EXECUTIONS):
        fault = attempt(target, input_of(target, 7, number))
        assert not fault or fault.startswith("slow"), f"run.py --seed 7 --show {target} {number}"


@pytest.mark.parametrize("target", TARGETS)
def test_the_seeds_themselves_are_read(target):
    for seed in TARGETS[target].seeds:
        TARGETS[target].run(seed)


@pytest.mark.slow
def test_a_reader_that_raises_exhausts_memory_or_ends_the_process_is_caught():
    faults = fuzz("faulty", 100, seed=5)
    expected = {
        number
        for number in range(100)
        if any(mark in input_of("faulty", 5, number) for mark in (b"[", b"]", b"{"))
    }
    assert set(faults) == expected
    kinds = {fault.split()[0] for fault in faults.values()}
    assert kinds == {"the", "KeyError", "MemoryError"}, kinds
