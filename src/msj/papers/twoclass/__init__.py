"""Stability for Two-class Multiserver-job Systems.

Isaac Grosof, Mor Harchol-Balter and Alan Scheller-Wolf, arXiv preprint 2010.00631, 2020. Cited as "twoclass".
"""
