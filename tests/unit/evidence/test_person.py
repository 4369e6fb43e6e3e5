"""Kinds of patients that a network tells apart."""

from __future__ import annotations

import hickam
from hickam.evidence.person import people, person_of


def test_every_patient_is_of_one_of_the_kinds_of_people():
    network = hickam.load("clinic")
    known = {id(person_of(network, sex, age)) for sex, age in people(network)}
    for sex in ("female", "male", None):
        for months in range(0, 121 * 12, 7):
            assert id(person_of(network, sex, months / 12)) in known
        assert id(person_of(network, sex, None)) in known


def test_a_network_without_ages_has_few_kinds_of_people():
    assert people(hickam.load("smoker")) == [
        (sex, age) for sex in ("female", "male", None) for age in (None, 0.0)
    ]
