"""Figures and tables of zeroq (Wang, Xie and Harchol-Balter, *Zero queueing for multi-server jobs*, 2021)."""
