"""Flipped bits in a sweep's folder: a small run of the programme."""

from verification.damaged_files import flips


def test_no_flipped_bit_is_silent():
    found = flips(6, seed=2)
    assert not any(flip.silent for flip in found)
    assert all(flip.named and flip.equal for flip in found)
