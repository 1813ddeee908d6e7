"""What schemathesis does with a request before it is sent: nothing may leave this machine."""

import re
import uuid

import schemathesis

# Nobody listens there: a report that starts fails at once.
NOWHERE = "127.0.0.1:9"


def at_home(url):
    return re.sub(r"^(https?://)[^/?#@\s]+", rf"\g<1>{NOWHERE}", url, flags=re.IGNORECASE)


@schemathesis.hook
def before_call(context, case, kwargs):
    # Kept keys would meet the requests of before, which were other ones.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,200}", key):
        case.headers["Idempotency-Key"] = f"{key}-{uuid.uuid4()}"
    body = case.body
    if not isinstance(body, dict) or not isinstance(body.get("data"), dict):
        return
    attributes = body["data"].get("attributes")
    if isinstance(attributes, dict) and isinstance(attributes.get("starting_url"), str):
        attributes["starting_url"] = at_home(attributes["starting_url"])
