"""Plainheart's Django project: one folder a room; docs/architecture.md says who may import whom."""

from studyapp.celery import app as celery_app

__all__ = ["celery_app"]
