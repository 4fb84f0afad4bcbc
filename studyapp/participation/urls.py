from django.urls import path

from studyapp.participation.pages import entry, steps, ways_out

urlpatterns = [
    path("s/<slug:slug>/", entry.enter, name="entry"),
    path("s/<slug:slug>/support/", ways_out.support, name="support"),
    path("s/<slug:slug>/problem/", ways_out.problem, name="problem"),
    path("s/<slug:slug>/stop/", ways_out.stop, name="stop"),
    path("s/<slug:slug>/<int:position>/", steps.step, name="step"),
    path("s/<slug:slug>/<int:position>/save", steps.save, name="save"),
    path("s/<slug:slug>/<int:position>/leave", steps.leave, name="leave"),
    path("preview/<str:token>/", entry.preview, name="preview"),
]
