"""Django settings. Everything that differs between machines comes from the environment.

The launcher (``make run``) writes these variables for its embedded services; ``manage.py`` reads
them back from the data folder; a deployment sets them itself (see ``.env.example``).
"""

import json
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / "data").resolve()


def _required(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. Start the platform with 'make run' (it makes one), "
            f"or set {name} in the environment; .env.example lists every variable."
        )
    return value


def _flag(name: str) -> bool:
    return os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on"}


def _database(url: str) -> dict[str, object]:
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise ImproperlyConfigured(
            f"DATABASE_URL begins with '{parts.scheme}://'; Plainheart runs on PostgreSQL only "
            "(postgresql://user:password@host:port/name)."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
    }


def _providers(text: str) -> dict[str, dict[str, object]]:
    try:
        named = json.loads(text)
    except json.JSONDecodeError as error:
        raise ImproperlyConfigured(
            f"PROVIDERS is not JSON ({error}); .env.example shows how it is written."
        ) from None
    if not isinstance(named, dict) or not all(isinstance(each, dict) for each in named.values()):
        raise ImproperlyConfigured(
            'PROVIDERS must be an object of objects, as in {"local": {"kind": "openai", "base_url": "..."}}; '
            ".env.example shows one."
        )
    return named


DEBUG = _flag("DEBUG")
SECRET_KEY = _required("SECRET_KEY")
# HMAC key of the recruitment hash; apart from SECRET_KEY, because rotating it would let one
# person enter twice.
HASH_KEY = _required("HASH_KEY")
# Fernet keys, newest first, comma separated: encrypt with the first, decrypt with any.
FIELD_KEYS = [key for key in _required("FIELD_KEYS").split(",") if key]

ALLOWED_HOSTS = [h for h in os.environ.get("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",") if h]
CSRF_TRUSTED_ORIGINS = [o for o in os.environ.get("CSRF_TRUSTED_ORIGINS", "").split(",") if o]
SITE_URL = os.environ.get("SITE_URL", "http://127.0.0.1:8000").rstrip("/")
HTTPS = SITE_URL.startswith("https://")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _flag("BEHIND_PROXY") else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "plainheart_staff"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "surveys",
    "studyapp.safety",
    "studyapp.work",
    "studyapp.chat",
    "studyapp.studies",
    "studyapp.participation",
    "studyapp.probes",
    "studyapp.verdicts",
    "studyapp.exports",
    "studyapp.simulation",
    "studyapp.console",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "studyapp.console.policy.ContentPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "studyapp.urls"
CSRF_FAILURE_VIEW = "studyapp.participation.pages.notices.forbidden_form"
ASGI_APPLICATION = "studyapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Strict everywhere; the admin brings Alpine, which needs unsafe-eval, so its pages get their own
# policy from a decorator in console.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "media-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    },
}

DATABASES = {"default": _database(_required("DATABASE_URL"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = _required("REDIS_URL")

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = os.environ.get("CELERY_QUEUE", "plainheart")
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or DATA_DIR / "static")
# Names hold a hash of the content, so that a browser may keep a file for ever and never shows an old one.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
}

# Model providers. Studies pick a *name*; address and key variable are known to the server only,
# because an address in a study file plus a server key would send the key to any host.
# PROVIDERS is JSON: {"local": {"kind": "openai", "base_url": "http://127.0.0.1:9000/v1", "key_env": "KEY"}}
PROVIDERS: dict[str, dict[str, object]] = {
    "demo": {"kind": "demo"},
    **_providers(os.environ.get("PROVIDERS") or "{}"),
}

# Conversation timings, seconds.
DRAIN_S = float(os.environ.get("DRAIN_S", "20"))
PROCESS_BEAT_S = 5.0
PROCESS_DEAD_S = 15.0
# How long a stream may be silent: proxies cut connections on which nothing comes.
STREAM_COMMENT_S = 15.0

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "studyapp.anonymous_log.AnonymousFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    # Request lines would carry recruitment ids in query strings; ours are clean, a scanner's may not be.
    "loggers": {"uvicorn.access": {"level": "WARNING"}},
}

UNFOLD = {
    "SITE_TITLE": "Plainheart",
    "SITE_HEADER": "Plainheart",
    "SITE_ICON": lambda request: f"{STATIC_URL}img/plainheart.svg",
    "SHOW_HISTORY": True,
    # The accent of the participants' pages, from light to dark.
    "COLORS": {
        "primary": {
            "50": "240 247 246",
            "100": "227 239 236",
            "200": "196 222 217",
            "300": "152 197 190",
            "400": "98 163 155",
            "500": "56 128 121",
            "600": "29 92 88",
            "700": "23 75 72",
            "800": "20 61 59",
            "900": "17 49 47",
            "950": "9 30 29",
        }
    },
}
