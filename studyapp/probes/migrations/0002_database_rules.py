from django.db import migrations

from studyapp.database import cascade, delete_pointed


class Migration(migrations.Migration):
    dependencies = [("probes", "0001_initial"), ("chat", "0002_database_rules")]
    operations = [
        cascade("probes_fork", "origin_id"),
        delete_pointed("probes_fork", "exchange_id", "chat_conversation"),
    ]
