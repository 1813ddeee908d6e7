import { Router, urlencoded } from "express";
import { readSubscription, unsubscribe } from "../../database/receivers/receivers.ts";
import { escaped } from "../../domain/escaped-html.ts";
import { addressOfCode } from "../../domain/notifications/unsubscribe.ts";
import type { ApiDeps } from "../context.ts";
import { isUuid } from "../http/request/query.ts";
import { callerAddress, type RateLimiter } from "../http/request/rate-limit.ts";
import { showSmallPage } from "../http/response/small-page.ts";

const PATH = "/unsubscribe/:receiver_id/:code";

/**
 * The page on which a person ends their mails. Mail programs do so by one POST (RFC 8058); a GET changes nothing, because
 * programs that look at links send one.
 */
export function unsubscribePage({ db, now, encryptor }: ApiDeps, limit: RateLimiter): Router {
  const router = Router({ caseSensitive: true });
  const addressed = async ({ receiver_id: id = "", code = "" }: Record<string, string | undefined>) => {
    const address = encryptor && isUuid(id) ? addressOfCode(encryptor, id, code) : undefined;
    const known = address === undefined ? undefined : await readSubscription(db, id, address);
    return known && address !== undefined ? { id, address, ...known } : undefined;
  };
  router.all(PATH, async (request, response, next) => {
    response.locals.route = PATH;
    await limit(callerAddress(request), response, now());
    next();
  });
  router.get(PATH, async (request, response) => {
    const found = await addressed(request.params);
    if (!found) return showSmallPage(response, 404, "No such mails", NONE);
    if (found.isOver) return showSmallPage(response, 200, "The mails have ended", over(found));
    const what = `<p>${escaped(found.address)} gets mails because ${escaped(found.name)} hears of what happens.</p>`;
    const form = `<form method="post"><button>End these mails</button></form>`;
    showSmallPage(response, 200, "End these mails?", what + form);
  });
  router.post(PATH, urlencoded({ extended: false, limit: "10kb", parameterLimit: 10 }), async (request, response) => {
    const found = await addressed(request.params);
    if (!found) return showSmallPage(response, 404, "No such mails", NONE);
    await unsubscribe(db, found.id, found.address);
    showSmallPage(response, 200, "The mails have ended", over(found));
  });
  return router;
}

const NONE = "<p>They may have been changed since the mail was sent. Please look at a newer one.</p>";

function over({ name, address }: { name: string; address: string }): string {
  return `<p>${escaped(address)} gets no more mails for ${escaped(name)}. Whoever made that receiver can add it again.</p>`;
}
