import { createHash } from "node:crypto";
import { type Response, Router } from "express";
import type { ApiDeps } from "../context.ts";
import { refuse } from "../http/errors.ts";
import { isAmong, versionOf } from "../http/etag.ts";
import { callerAddress, type RateLimiter } from "../http/rate-limit.ts";
import { routes } from "../routes.ts";
import { openApiDocument } from "./document.ts";
import { referencePage, style } from "./reference-page.ts";

/** Nothing is loaded, nothing runs, and no other page may show this one. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const ALLOW = "GET, HEAD, OPTIONS";

type File = { type: string; bytes: Buffer; etag: string };

/** The OpenAPI document and the page made from it: the same for everybody, without a token. */
export function reference({ limits, now }: Pick<ApiDeps, "limits" | "now">, limit: RateLimiter): Router {
  const router = Router({ caseSensitive: true });
  // Made when first asked for: most processes of the service never are.
  const document = once(() => openApiDocument(routes, limits));
  const files: Record<string, () => File> = {
    "/openapi.json": once(() => file("application/json", JSON.stringify(document()))),
    "/docs": once(() => file("text/html", referencePage(document()))),
  };
  for (const [path, read] of Object.entries(files))
    router.all(path, async (request, response) => {
      response.locals.route = `/api/v1${path}`;
      if (request.method === "OPTIONS") {
        response.set("Allow", ALLOW).status(204).end();
        return;
      }
      if (request.method !== "GET" && request.method !== "HEAD")
        throw refuse(
          405,
          "method_not_allowed",
          "Method not allowed",
          `${request.method} is not possible here; ${ALLOW} are.`,
          undefined,
          { Allow: ALLOW },
        );
      await limit(callerAddress(request), response, now());
      send(response, read(), request.get("if-none-match"));
    });
  return router;
}

function send(response: Response, { type, bytes, etag }: File, known: string | undefined): void {
  response.set({ ETag: etag, "Cache-Control": "public, max-age=300" });
  if (known !== undefined && isAmong(known, etag)) {
    response.status(304).end();
    return;
  }
  if (type === "text/html") response.set("Content-Security-Policy", contentSecurityPolicy);
  response.type(type).send(bytes);
}

function file(type: string, text: string): File {
  return { type, bytes: Buffer.from(text), etag: `"${versionOf(text, type)}"` };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
