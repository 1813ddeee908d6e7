import { Router } from "express";
import { READ_METHODS, type SentFile, sendFile, versioned } from "../../net/responses/send-file.ts";
import { guideKinds } from "../../schema/guide.ts";
import type { ApiDeps } from "../context.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { callerAddress, type RateLimiter } from "../http/rate-limit.ts";
import { guideListPage, guidePage, guidePolicy } from "./guide-page.ts";

/** `/guides`, and `/guides/{kind}/{rule}` for each guide: pages for people, without a token. */
export function guidePages({ guides, now }: Pick<ApiDeps, "guides" | "now">, limit: RateLimiter): Router {
  // Strict: the pages' addresses are relative, and would not resolve from an address with a slash at its end.
  const router = Router({ caseSensitive: true, strict: true });
  const made = new Map<string, Promise<SentFile>>();
  const page = (path: string, make: () => string) => {
    const file = made.get(path) ?? versioned("text/html", make(), { "Content-Security-Policy": guidePolicy });
    made.set(path, file);
    return file;
  };
  const pageOf = async (kind: string | undefined, rule: string): Promise<SentFile> => {
    const { get, list } = await guides();
    if (kind === undefined) return page("", () => guideListPage(list()));
    const known = guideKinds.find((name) => name === kind);
    const found = known && get(known, rule);
    if (!found) throw notFound("guide");
    return page(`${kind}/${rule}`, () => guidePage(found));
  };
  router.all(["/guides", "/guides/:kind/*rule"], async (request, response) => {
    const { kind, rule = [] } = request.params as { kind?: string; rule?: string[] };
    response.locals.route = kind === undefined ? "/guides" : "/guides/:kind/*rule";
    if (request.method === "OPTIONS") {
      response.set("Allow", READ_METHODS).status(204).end();
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(request.method, READ_METHODS);
    await limit(callerAddress(request), response, now());
    sendFile(request, response, await pageOf(kind, rule.join("/")));
  });
  return router;
}
