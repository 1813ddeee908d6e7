"""A shop of django-oscar: run by ../oscar.ts, once to write what can be harmed, then as a server."""
import os
import sys
from pathlib import Path

import django
import oscar
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from oscar import defaults

FOLDER = Path(__file__).parent

if __name__ == "__main__":
    sys.modules["oscar_shop"] = sys.modules["__main__"]


def configure():
    """Oscar's defaults, with what is ours in their place."""
    given = {name: getattr(defaults, name) for name in dir(defaults) if name.startswith("OSCAR_")}
    given |= {
        "OSCAR_INITIAL_ORDER_STATUS": "Pending", "OSCAR_INITIAL_LINE_STATUS": "Pending",
        "OSCAR_ORDER_STATUS_PIPELINE": {"Pending": ("Being processed", "Cancelled"), "Being processed": ("Processed", "Cancelled"), "Cancelled": ()},
    }
    processors = [f"django.template.context_processors.{name}" for name in ("request", "media", "static", "i18n")]
    processors += ["django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]
    processors += [
        "oscar.apps.search.context_processors.search_form", "oscar.apps.checkout.context_processors.checkout",
        "oscar.apps.communication.notifications.context_processors.notifications", "oscar.core.context_processors.metadata",
    ]
    settings.configure(
        **given,
        SECRET_KEY="only for tests", DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF="oscar_shop", USE_TZ=True, SITE_ID=1,
        INSTALLED_APPS=oscar.INSTALLED_APPS, DEFAULT_AUTO_FIELD="django.db.models.AutoField", STATIC_URL="/static/",
        MEDIA_ROOT=FOLDER / "media", MEDIA_URL="/media/", EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
        HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
        AUTHENTICATION_BACKENDS=["oscar.apps.customer.auth_backends.EmailBackend", "django.contrib.auth.backends.ModelBackend"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "data" / "db.sqlite3", "OPTIONS": {"timeout": 20}}},
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware", "oscar.apps.basket.middleware.BasketMiddleware",
        ],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {"context_processors": processors}}],
    )
    django.setup()


configure()

from django.apps import apps  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.urls import include, path  # noqa: E402


class Static(StaticFilesHandler):
    """Serves the shop's own files, too, without DEBUG."""

    def serve(self, request):
        from django.contrib.staticfiles.views import serve

        return serve(request, self.file_path(request.path), insecure=True)


urlpatterns = [path("i18n/", include("django.conf.urls.i18n")), path("", include(apps.get_app_config("oscar").urls[0]))]
application = Static(WSGIHandler())


def seed():
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oscar.core.loading import get_model
    from oscar.test.factories import create_order, create_product

    (FOLDER / "media").mkdir()
    call_command("migrate", verbosity=0)
    User.objects.create_superuser("admin", "admin@example.org", "only-for-tests")
    customer = User.objects.create_user("customer", "customer@example.org", "only-for-tests", first_name="Ann", last_name="Buyer")
    get_model("address", "Country").objects.create(iso_3166_1_a2="GB", iso_3166_1_a3="GBR", iso_3166_1_numeric="826", name="United Kingdom", printable_name="United Kingdom", is_shipping_country=True)
    country = get_model("address", "Country").objects.get()
    Category = get_model("catalogue", "Category")
    categories = [Category.add_root(name=name) for name in ("Bread", "Delete", "Rivers")]
    products = [
        create_product(title=title, upc=f"u{number}", price=number + 1, num_in_stock=10, partner_name="A baker")
        for number, title in enumerate(("Loaf", "Trash bag", "How to update", "Install kit", "Boat", "Map", "Confirm stamp", "Book"))
    ]
    for number, product in enumerate(products):
        get_model("catalogue", "ProductCategory").objects.create(product=product, category=categories[number % 3])
        get_model("reviews", "ProductReview").objects.create(product=product, user=customer, score=4, title="Good", body="It was good.", status=1)
    for number in range(3):
        create_order(number=f"10000{number}", user=customer)
    # No product is on both lists: it could not be moved from one to the other.
    for name, wanted in (("Birthday", products[:3]), ("Remove", products[3:6])):
        wishes = get_model("wishlists", "WishList").objects.create(owner=customer, name=name)
        for product in wanted:
            wishes.add(product)
    get_model("address", "UserAddress").objects.create(user=customer, first_name="Ann", last_name="Buyer", line1="1 High Street", line4="Town", postcode="N1 9RT", country=country)
    get_model("address", "UserAddress").objects.create(user=customer, first_name="Ben", last_name="Buyer", line1="2 High Street", line4="Town", postcode="N1 9RT", country=country)
    basket = get_model("basket", "Basket").objects.create(owner=customer)
    from oscar.apps.partner.strategy import Selector

    basket.strategy = Selector().strategy()
    basket.add_product(products[0], quantity=2)
    for number in range(4):
        get_model("communication", "Notification").objects.create(recipient=customer, subject=f"Message {number}", body="Hello.")
    get_model("customer", "ProductAlert").objects.create(product=products[4], user=customer, status="Active")
    ranges = get_model("offer", "Range").objects.create(name="All", includes_all_products=True)
    condition = get_model("offer", "Condition").objects.create(type="Count", value=3, range=ranges)
    benefit = get_model("offer", "Benefit").objects.create(type="Percentage", value=10, range=ranges)
    get_model("offer", "ConditionalOffer").objects.create(name="Three for less", condition=condition, benefit=benefit)


if __name__ == "__main__":
    seed()
    os._exit(0)
