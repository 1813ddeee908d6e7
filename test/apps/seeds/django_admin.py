"""A small Django project with its administration: run by ../django-admin.ts, once to write what can be harmed, then as a server."""
import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler

FOLDER = Path(__file__).parent
CONTRIB = [f"django.contrib.{name}" for name in ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles", "redirects", "sites", "flatpages")]

if __name__ == "__main__":
    # Models are registered under one name of this module.
    sys.modules["django_admin"] = sys.modules["__main__"]

settings.configure(
    SECRET_KEY="only for tests", DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF="django_admin", USE_TZ=True, SITE_ID=1,
    INSTALLED_APPS=CONTRIB, DEFAULT_AUTO_FIELD="django.db.models.AutoField", STATIC_URL="/static/", MEDIA_ROOT=FOLDER / "media",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "data" / "db.sqlite3", "OPTIONS": {"timeout": 20}}},
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]}}],
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.admin.models import LogEntry  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402


class Static(StaticFilesHandler):
    """Serves the administration's own files, too, without DEBUG."""

    def serve(self, request):
        from django.contrib.staticfiles.views import serve

        return serve(request, self.file_path(request.path), insecure=True)


admin.site.register(LogEntry)
urlpatterns = [path("admin/", admin.site.urls), path("", lambda request: HttpResponse("<!DOCTYPE html><title>Home</title><h1>Home</h1>"))]
application = Static(WSGIHandler())


def seed():
    from django.contrib.auth.models import Group, Permission, User
    from django.contrib.flatpages.models import FlatPage
    from django.contrib.redirects.models import Redirect
    from django.contrib.sites.models import Site
    from django.core.management import call_command

    (FOLDER / "media").mkdir()
    call_command("migrate", verbosity=0)
    root = User.objects.create_superuser("admin", "admin@example.org", "only-for-tests")
    viewer = User.objects.create_user("viewer", "viewer@example.org", "only-for-tests", is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    site = Site.objects.get_current()
    for number in range(30):
        User.objects.create(username=f"user{number}", email=f"user{number}@example.org", is_active=number % 3 > 0)
    for name in ("Editors", "Delete", "Update managers", "Readers"):
        Group.objects.create(name=name).permissions.set(Permission.objects.all()[:5])
    for slug in ("about", "delete", "install", "how-to-update", "unsubscribe"):
        page = FlatPage.objects.create(url=f"/{slug}/", title=slug.title(), content=f"<p>{slug}</p>")
        page.sites.add(site)
        LogEntry.objects.create(user=root, object_id=str(page.pk), object_repr=page.title, action_flag=1)
        Redirect.objects.create(site=site, old_path=f"/old/{slug}/", new_path=f"/{slug}/")


if __name__ == "__main__":
    seed()
    os._exit(0)
