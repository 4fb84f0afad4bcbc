from django.apps import AppConfig


class ProbesConfig(AppConfig):
    name = "studyapp.probes"
    label = "probes"
    verbose_name = "Probes"

    def ready(self) -> None:
        from studyapp.probes import (
            forking,
            private,
            receivers,  # noqa: F401
        )
        from studyapp.work import registry

        registry.register(forking.KIND, forking.run_forks)
        registry.register(private.KIND, private.run_private)
