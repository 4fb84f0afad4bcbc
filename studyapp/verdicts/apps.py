from django.apps import AppConfig


class VerdictsConfig(AppConfig):
    name = "studyapp.verdicts"
    label = "verdicts"
    verbose_name = "Verdicts"
