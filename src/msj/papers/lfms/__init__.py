"""Multiserver-job response time under multilevel scaling.

Isaac Grosof and Hayriye Ayhan, 2025. Cited as "lfms".
"""
