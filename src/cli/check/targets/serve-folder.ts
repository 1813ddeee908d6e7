import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import express from "express";
import { namesThisMachine } from "../../../net/report-policy.ts";
import type { ServedPages } from "./served-pages.ts";

/** A folder's pages on a free port of this machine. */
export type ServedFolder = ServedPages & {
  /** Where its pages begin, with a slash at the end. */
  url: string;
  close: () => Promise<void>;
};

/**
 * Serves a folder as hosts of static sites do: `/about` is about.html or about/index.html, and missing pages get
 * 404.html with status 404. Other machines cannot reach it.
 *
 * @param basePath the path under which the site expects to be, such as "/docs/"
 */
export async function serveFolder(folder: string, basePath: string): Promise<ServedFolder> {
  const files = new Map<string, string>();
  // As browsers write paths: a space is %20.
  const base = new URL(`http://localhost${basePath.endsWith("/") ? basePath : `${basePath}/`}`).pathname;
  const app = express().disable("x-powered-by").disable("etag");
  const root = path.resolve(folder);
  const remember = (url: string, file: string) => files.set(url, shownPath(file, { folder, root }));
  const pages = express.static(root, {
    extensions: ["html"],
    etag: false,
    cacheControl: false,
    setHeaders: (response, file) => remember(response.req.originalUrl, file),
  });
  // Its files are for this check, not for a page in a browser of this machine whose name leads here (DNS rebinding).
  app.use((request, response, next) => {
    if (namesThisMachine(request.headers.host)) return next();
    response.status(403).type("text/plain").send("This folder is served to this machine only.\n");
  });
  // Not as a route's path, where some characters have a special meaning.
  app.use((request, response, next) => {
    if (`${request.url}/` === base) return response.redirect(301, base);
    if (!request.url.startsWith(base)) return next();
    request.url = request.url.slice(base.length - 1);
    return pages(request, response, next);
  });
  app.use((_request, response) => {
    response.status(404).sendFile("404.html", { root, cacheControl: false }, (error) => {
      if (error && !response.headersSent) response.type("text/plain").send("Not Found\n");
    });
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: origin + base,
    fileOf: (url) => (url.startsWith(`${origin}/`) ? files.get(url.slice(origin.length)) : undefined),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A file as the user would name it; a folder from a configuration is an absolute path. */
function shownPath(file: string, { folder, root }: { folder: string; root: string }): string {
  const fromHere = path.relative("", file);
  const isBelow = path.isAbsolute(folder) && !fromHere.startsWith("..");
  return isBelow ? fromHere : path.join(folder, path.relative(root, file));
}
