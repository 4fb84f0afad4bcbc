from django.apps import AppConfig


class ParticipationConfig(AppConfig):
    name = "studyapp.participation"
    label = "participation"
    verbose_name = "Participants"
