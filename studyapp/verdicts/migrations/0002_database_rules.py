from django.db import migrations

from studyapp.database import cascade


class Migration(migrations.Migration):
    dependencies = [("verdicts", "0001_initial"), ("chat", "0002_database_rules")]
    operations = [cascade("verdicts_code", "message_id"), cascade("verdicts_verdict", "message_id")]
