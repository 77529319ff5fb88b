"""WCFS: a new framework for analyzing multiserver systems, by Isaac Grosof, Mor Harchol-Balter and Alan Scheller-Wolf.

Queueing Systems 102 (2022). All figures are about mean response time as the load rho = lambda·E[S] goes to 1, with the
capacity of the whole system 1 and sizes of mean 1: ``models`` has the models, ``points`` their response times.
"""
