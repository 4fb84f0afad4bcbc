from django.apps import AppConfig


class ProbesConfig(AppConfig):
    name = "studyapp.probes"
    label = "probes"
    verbose_name = "Probes"
