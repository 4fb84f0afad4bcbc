from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studyapp.studies"
    label = "studies"
    verbose_name = "Studies"

    def ready(self) -> None:
        from studyapp.studies import checks

        for check in checks.OWN:
            checks.register(check)
