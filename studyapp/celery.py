"""The Celery application: workers run Work rows, beat nudges them and finishes abandoned turns.

Nothing that must not be lost rides on a message alone: a message is a nudge, the work is a row.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyapp.settings")

app = Celery("plainheart", include=["studyapp.health"])
# What beat sends, and how often in seconds. Set before anything reads the configuration, so that
# importing this module loads no settings.
app.conf.beat_schedule = {
    "health.heartbeat": {"task": "health.heartbeat", "schedule": 10.0},
    # Whatever nudge was lost, work waits no longer than this.
    "work.nudge": {"task": "work.nudge", "schedule": 60.0, "options": {"expires": 55}},
    "chat.finish_abandoned": {"task": "chat.finish_abandoned", "schedule": 15.0},
}
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
