"""Flipped bits in a sweep's folder: a small run of the programme."""

from verification.damaged_files import flips


def test_no_flipped_bit_is_silent():
    found = flips(6, seed=2, read_only=True)
    assert all(flip.named and flip.equal for flip in found)


def test_no_flipped_bit_of_any_file_changes_an_answer():
    assert all(flip.equal for flip in flips(3, seed=2))
