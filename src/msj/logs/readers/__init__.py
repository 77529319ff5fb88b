"""Formats of logs, one file each; the listing is their catalogue."""
