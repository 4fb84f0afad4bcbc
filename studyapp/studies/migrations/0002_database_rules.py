from django.db import migrations

from studyapp.database import write_once


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_initial")]
    operations = [write_once("studies_studyversion"), write_once("studies_frozencondition")]
