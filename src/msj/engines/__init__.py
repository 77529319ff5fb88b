"""Engines, one file each: compiled loops that carry out decisions fast, shared by the disciplines.

An engine knows no policy and no model. It is made for a :class:`~msj.engines.cluster.Cluster`, with options in plain
values; a discipline's file says which one serves it (``disciplines.served_by``). Whatever has no faster loop is run by
the generic engine from its plain function, which is also the twin the fast ones are tested against.
"""
