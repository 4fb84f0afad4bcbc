from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "studyapp.chat"
    label = "chat"
    verbose_name = "Conversations"
