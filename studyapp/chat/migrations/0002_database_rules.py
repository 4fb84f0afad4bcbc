from django.db import migrations

from studyapp.database import cascade


class Migration(migrations.Migration):
    dependencies = [("chat", "0001_initial")]
    operations = [
        cascade("chat_conversation", "continues_id"),
        cascade("chat_task", "conversation_id"),
        cascade("chat_message", "conversation_id"),
        cascade("chat_message", "task_id"),
        cascade("chat_attempt", "message_id"),
    ]
