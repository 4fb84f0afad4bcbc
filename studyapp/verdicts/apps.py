from django.apps import AppConfig


class VerdictsConfig(AppConfig):
    name = "studyapp.verdicts"
    label = "verdicts"
    verbose_name = "Verdicts"

    def ready(self) -> None:
        from studyapp.verdicts import (
            coding,
            receivers,  # noqa: F401
        )
        from studyapp.work import registry

        registry.register(coding.KIND, coding.run_coding)
