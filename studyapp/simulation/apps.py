from django.apps import AppConfig


class SimulationConfig(AppConfig):
    name = "studyapp.simulation"
    label = "simulation"
    verbose_name = "Simulation"
