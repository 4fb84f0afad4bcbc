"""The Celery application: workers run Work rows, beat nudges them and finishes abandoned turns."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyapp.settings")

app = Celery("plainheart")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
