from django.urls import path

from .views import messages

app_name = "chat"
urlpatterns = [path("c/<uuid:conversation_id>/messages", messages, name="messages")]
