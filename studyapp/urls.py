from django.contrib import admin
from django.urls import include, path

from studyapp.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("", include("studyapp.chat.urls")),
    path("admin/", admin.site.urls),
]
