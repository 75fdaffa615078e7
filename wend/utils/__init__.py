"""Tools around training: hooks, data loading, checkpoints.

Each lives in a module of its own.
"""
