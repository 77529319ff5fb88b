"""Kernels, one file each: how a policy's decisions are carried out fast.

A policy named here has a kernel of its own; every other one is run by the generic kernel from its plain function,
which is also the twin the fast kernels are tested against.
"""
