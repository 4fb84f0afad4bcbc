"""The content policy of pages: strict everywhere, with the admin's own exception."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# The admin theme ships ordinary Alpine, which evaluates expressions, and sets styles from script.
_ADMIN = {
    "script-src": ["'self'", "'unsafe-eval'", "'unsafe-inline'"],
    "style-src": ["'self'", "'unsafe-inline'"],
}


class ContentPolicy(CSPMiddleware):
    """django-csp's middleware, with a policy of its own below ``/admin/``."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request=request, response=response, report_only=report_only)
        if request.path_info.startswith("/admin/"):
            parts.replace = {**(parts.replace or {}), **_ADMIN}
        return parts
