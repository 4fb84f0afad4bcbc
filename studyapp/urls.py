"""Every address; each room brings its own."""

from django.contrib import admin
from django.urls import include, path

from studyapp.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", admin.site.urls),
    path("", include("studyapp.chat.urls")),
    path("", include("studyapp.participation.urls")),
]

handler404 = "studyapp.participation.pages.notices.not_found"
