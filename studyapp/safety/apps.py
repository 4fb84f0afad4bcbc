from django.apps import AppConfig


class SafetyConfig(AppConfig):
    name = "studyapp.safety"
    label = "safety"
    verbose_name = "Safety"
