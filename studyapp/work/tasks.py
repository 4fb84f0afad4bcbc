"""Celery's part: a nudge that there is work. The rows are what counts."""

from studyapp.celery import app
from studyapp.work.runner import run_due


@app.task(name="work.nudge")
def run_due_work(kinds: list[str] | None = None) -> int:
    """Run what is due, for at most a minute, so that other kinds get their turn."""
    return run_due(kinds=kinds, deadline_s=60)
