"""Measures Rhyton against its peers: see compare.py."""
