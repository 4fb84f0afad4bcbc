from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "studyapp.console"
    label = "console"
    verbose_name = "Console"
