from django.apps import AppConfig


class SurveysConfig(AppConfig):
    name = "surveys"
    label = "surveys"
    verbose_name = "Scales and answers"
