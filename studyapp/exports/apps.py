from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "studyapp.exports"
    label = "exports"
    verbose_name = "Exports"
