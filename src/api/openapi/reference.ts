import { Router } from "express";
import { once } from "../../domain/once.ts";
import { immutable, READ_METHODS, type SentFile, sendFile, versioned } from "../../responses/send-file.ts";
import type { ApiDeps } from "../context.ts";
import { callerAddress, type RateLimiter } from "../http/request/rate-limit.ts";
import { methodNotAllowed } from "../http/response/errors.ts";
import { routes } from "../routes.ts";
import { openApiDocument } from "./document.ts";
import { assets } from "./reference-assets.ts";
import { contentSecurityPolicy, referencePage } from "./reference-page.ts";

/** The OpenAPI document and the page that shows it: the same for everybody, without a token. */
export function reference({ limits, now }: Pick<ApiDeps, "limits" | "now">, limit: RateLimiter): Router {
  // Strict: the page's addresses are relative, and would not resolve from /docs/.
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/docs/", (_request, response) => response.redirect(308, "../docs"));
  // Created on the first request: most processes never get one.
  const files: Readonly<Record<string, () => Promise<SentFile>>> = {
    "/openapi.json": once(async () => versioned("application/json", JSON.stringify(openApiDocument(routes, limits)))),
    "/docs": once(async () =>
      versioned("text/html", referencePage, { "Content-Security-Policy": contentSecurityPolicy }),
    ),
    ...Object.fromEntries(
      Object.values(assets).map((asset) => [asset.path, once(async () => immutable(asset.type, await asset.read()))]),
    ),
  };
  for (const [path, read] of Object.entries(files))
    router.all(path, async (request, response) => {
      response.locals.route = `/api/v1${path}`;
      if (request.method === "OPTIONS") {
        response.set("Allow", READ_METHODS).status(204).end();
        return;
      }
      if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(request.method, READ_METHODS);
      await limit(callerAddress(request), response, now());
      sendFile(request, response, await read());
    });
  return router;
}
