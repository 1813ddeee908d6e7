"""What schemathesis does with a request before it is sent: nothing may leave this machine."""

import re
import uuid

import schemathesis

# Nobody listens there: a report that starts fails at once.
NOWHERE = "127.0.0.1:9"

FORBIDDEN = {"__proto__", "constructor", "prototype"}


def at_home(url):
    return re.sub(r"^(https?://)[^/?#@\s]+", rf"\g<1>{NOWHERE}", url, flags=re.IGNORECASE)


def without_forbidden(value):
    """Names of members that the API refuses anywhere in a body; no schema can say so."""
    if isinstance(value, dict):
        return {f"x{name}" if name in FORBIDDEN else name: without_forbidden(of) for name, of in value.items()}
    if isinstance(value, list):
        return [without_forbidden(of) for of in value]
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    # Kept keys would meet the requests of before, which were other ones.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,200}", key):
        case.headers["Idempotency-Key"] = f"{key}-{uuid.uuid4()}"
    if isinstance(case.body, (dict, list)):
        case.body = without_forbidden(case.body)
    body = case.body
    if not isinstance(body, dict) or not isinstance(body.get("data"), dict):
        return
    attributes = body["data"].get("attributes")
    if isinstance(attributes, dict) and isinstance(attributes.get("starting_url"), str):
        attributes["starting_url"] = at_home(attributes["starting_url"])
