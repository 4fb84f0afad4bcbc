from django.db import migrations

from studyapp.database import cascade, write_once


class Migration(migrations.Migration):
    dependencies = [("surveys", "0001_initial")]
    operations = [
        write_once("surveys_scaleversion"),
        cascade("surveys_response", "administration_id"),
    ]
