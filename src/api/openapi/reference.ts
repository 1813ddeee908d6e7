import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Request, type Response, Router } from "express";
import type { ApiDeps } from "../context.ts";
import { methodNotAllowed } from "../http/errors.ts";
import { isAmong, versionOf } from "../http/etag.ts";
import { usesGzip } from "../http/gzip.ts";
import { callerAddress, type RateLimiter } from "../http/rate-limit.ts";
import { routes } from "../routes.ts";
import { openApiDocument } from "./document.ts";
import { type Asset, assets } from "./reference-assets.ts";
import { contentSecurityPolicy, referencePage } from "./reference-page.ts";

const ALLOW = "GET, HEAD, OPTIONS";

type File = { type: string; bytes: Buffer; gzipped: Buffer; headers: Readonly<Record<string, string>> };

/** The OpenAPI document and the page that shows it: the same for everybody, without a token. */
export function reference({ limits, now }: Pick<ApiDeps, "limits" | "now">, limit: RateLimiter): Router {
  // Strict: the page's addresses are relative, and would not resolve from /docs/.
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/docs/", (_request, response) => response.redirect(308, "../docs"));
  // Created on the first request: most processes never get one.
  const files: Readonly<Record<string, () => Promise<File>>> = {
    "/openapi.json": once(async () => versioned("application/json", JSON.stringify(openApiDocument(routes, limits)))),
    "/docs": once(async () =>
      versioned("text/html", referencePage, { "Content-Security-Policy": contentSecurityPolicy }),
    ),
    ...Object.fromEntries(Object.values(assets).map((asset) => [asset.path, once(() => immutable(asset))])),
  };
  for (const [path, read] of Object.entries(files))
    router.all(path, async (request, response) => {
      response.locals.route = `/api/v1${path}`;
      if (request.method === "OPTIONS") {
        response.set("Allow", ALLOW).status(204).end();
        return;
      }
      if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(request.method, ALLOW);
      await limit(callerAddress(request), response, now());
      send(request, response, await read());
    });
  return router;
}

/** A file that may change with the service's version: clients revalidate it after five minutes. */
async function versioned(type: string, text: string, headers: Record<string, string> = {}): Promise<File> {
  const etag = `"${versionOf(text, type)}"`;
  const bytes = Buffer.from(text);
  return {
    type,
    bytes,
    gzipped: await promisify(gzip)(bytes),
    headers: { ...headers, ETag: etag, "Cache-Control": "public, max-age=300" },
  };
}

/** A file that never changes: its address contains its version. */
async function immutable({ type, read }: Asset): Promise<File> {
  const bytes = await read();
  const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
  return { type, bytes, gzipped: await promisify(gzip)(bytes), headers };
}

function send(request: Request, response: Response, { type, bytes, gzipped, headers }: File): void {
  response.set({ ...headers });
  const compressed = usesGzip(request, response, bytes.length) ? gzipped : undefined;
  const known = request.get("if-none-match");
  if (headers.ETag !== undefined && known !== undefined && isAmong(known, headers.ETag)) {
    response.status(304).end();
    return;
  }
  response.type(type);
  if (compressed) response.set("Content-Encoding", "gzip").send(compressed);
  else response.send(bytes);
}

/** Creates a value on the first call and keeps it; after an error the next call tries again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
