from django.apps import AppConfig


class WorkConfig(AppConfig):
    name = "studyapp.work"
    label = "work"
    verbose_name = "Work"
