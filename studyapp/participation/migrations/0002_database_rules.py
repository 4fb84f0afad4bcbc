from django.db import migrations

from studyapp.database import append_only, delete_pointed


class Migration(migrations.Migration):
    dependencies = [
        ("participation", "0001_initial"),
        ("surveys", "0002_database_rules"),
        ("chat", "0002_database_rules"),
    ]
    operations = [
        append_only("participation_event"),
        append_only("participation_draw"),
        append_only("participation_allocation", erasable_column="session_id"),
        delete_pointed("participation_visit", "administration_id", "surveys_administration"),
        delete_pointed("participation_visit", "conversation_id", "chat_conversation"),
    ]
