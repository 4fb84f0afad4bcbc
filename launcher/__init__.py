"""Starts, watches and stops everything a study runs on: PostgreSQL, Valkey, web, worker and beat.

Imports no Django, so that it can explain what is missing before any of it is installed.
"""
