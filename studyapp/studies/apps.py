from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studyapp.studies"
    label = "studies"
    verbose_name = "Studies"
