from django.apps import AppConfig


class ParticipationConfig(AppConfig):
    name = "studyapp.participation"
    label = "participation"
    verbose_name = "Participants"

    def ready(self) -> None:
        from django.db.models.signals import post_save

        from studyapp.chat import signals
        from studyapp.participation import erasure, receivers, withdrawal
        from studyapp.studies.models import Study
        from studyapp.work import registry

        signals.distress_noticed.connect(receivers.on_distress, dispatch_uid="participation.distress")
        signals.text_cleaned.connect(receivers.on_text_cleaned, dispatch_uid="participation.text_cleaned")
        post_save.connect(receivers.on_study_saved, sender=Study, dispatch_uid="participation.study_saved")
        registry.register(withdrawal.ERASE, withdrawal.run_erasure)
        registry.register(erasure.FORGET, erasure.run_forget_turns)
