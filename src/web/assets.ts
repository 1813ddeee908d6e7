import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type RequestHandler, Router } from "express";
import { once } from "../domain/once.ts";
import { immutable, type SentFile, sendFile } from "../responses/send-file.ts";

/** The files that pages load, by name. Their URLs contain a digest, so that browsers can keep them forever. */
const files: Readonly<Record<string, { type: string; url: () => string }>> = {
  style: { type: "text/css", url: () => new URL("./assets/style.css", import.meta.url).href },
  script: { type: "text/javascript", url: () => new URL("./assets/script.js", import.meta.url).href },
  idiomorph: { type: "text/javascript", url: () => import.meta.resolve("idiomorph/dist/idiomorph.esm.js") },
};

export type Assets = { paths: Readonly<Record<string, string>>; byPath: ReadonlyMap<string, SentFile> };

/** Read on first use and kept: a service's files do not change while it runs. */
export const assets: () => Promise<Assets> = once(async () => {
  const loaded = await Promise.all(
    Object.entries(files).map(async ([name, { type, url }]) => {
      const bytes = await readFile(fileURLToPath(url()));
      const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 12);
      const path = `/assets/${digest}-${name}.${type === "text/css" ? "css" : "js"}`;
      return { name, path, asset: await immutable(type, bytes) };
    }),
  );
  return {
    paths: Object.fromEntries(loaded.map(({ name, path }) => [name, path])),
    byPath: new Map(loaded.map(({ path, asset }) => [path, asset])),
  };
});

export function assetRoutes(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const send: RequestHandler = async (request, response, next) => {
    response.locals.route = "/assets/:file";
    const asset = (await assets()).byPath.get(request.path);
    if (!asset) return next();
    sendFile(request, response, asset);
  };
  router.get("/assets/:file", send);
  return router;
}
