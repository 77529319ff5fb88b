"""The RESET and MARC techniques, with application to multiserver-job analysis.

Isaac Grosof, Yige Hong, Mor Harchol-Balter and Alan Scheller-Wolf, Performance Evaluation, 2023. Cited as "reset".
"""
