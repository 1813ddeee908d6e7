"""Writes what can be harmed into a project that `wagtail start` has made: run by ../wagtail.ts through `manage.py shell`."""
from io import BytesIO

from django.contrib.auth.models import Group, User
from django.core.files.base import ContentFile
from django.utils.timezone import now
from home.models import HomePage
from PIL import Image as Pillow
from wagtail.contrib.redirects.models import Redirect
from wagtail.documents.models import Document
from wagtail.images.models import Image
from wagtail.models import Page, Site

admin = User.objects.create_superuser("admin", "admin@example.org", "only-for-tests")
editor = User.objects.create_user("editor", "editor@example.org", "only-for-tests", first_name="Ann", last_name="Editor")
editor.groups.add(Group.objects.get(name="Editors"))
User.objects.create_user("moderator", "moderator@example.org", "only-for-tests").groups.add(Group.objects.get(name="Moderators"))

home = Site.objects.get(is_default_site=True).root_page
for title in ("About", "Bread", "Delete", "How to update", "Install", "Publish a letter", "Rivers", "Unsubscribe"):
    page = home.add_child(instance=HomePage(title=title, show_in_menus=True))
    page.save_revision(user=admin).publish()
    page.title += " again"
    page.save_revision(user=editor)
    page.add_child(instance=HomePage(title=f"Below {title}")).save_revision(user=admin).publish()
draft = home.add_child(instance=HomePage(title="A draft", live=False))
draft.save_revision(user=editor)
waiting = home.add_child(instance=HomePage(title="It waits", live=False))
waiting.save_revision(user=editor)
waiting.get_workflow().start(waiting, editor)
locked = home.add_child(instance=HomePage(title="Locked"))
locked.locked, locked.locked_by, locked.locked_at = True, admin, now()
locked.save()
locked.save_revision(user=admin)

for name, colour in (("Blue", (40, 90, 140)), ("Red", (140, 40, 40))):
    data = BytesIO()
    Pillow.new("RGB", (600, 400), colour).save(data, "PNG")
    Image.objects.create(title=name, file=ContentFile(data.getvalue(), f"{name.lower()}.png"), uploaded_by_user=admin)
Document.objects.create(title="A list", file=ContentFile(b"one, two", "list.csv"), uploaded_by_user=admin)
Redirect.objects.create(old_path="/old", redirect_page=Page.objects.get(id=home.id))
