import { once } from "node:events";
import { realpath } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import express from "express";
import { namesThisMachine } from "../../../domain/addresses/this-machine.ts";
import { documentPaths } from "./document-path.ts";
import { findFile } from "./find-file.ts";
import { sendOpened } from "./send-opened.ts";
import type { LeftOut, ServedPages } from "./served-pages.ts";

/** A folder's pages on a free port of this machine. */
export type ServedFolder = ServedPages & {
  /** Where its pages begin, with a slash at the end. */
  url: string;
  close: () => Promise<void>;
};

/**
 * Serves a folder as hosts of static sites do: `/about` is about.html or about/index.html, and missing pages get
 * 404.html with status 404. Each response with HTML says which document it is. Other machines cannot reach it. What a
 * link leads to outside of the folder is left out: its URL has a plain text, which is no page.
 *
 * @param folder may be a link itself
 * @param basePath the path under which the site expects to be, such as "/docs/"
 */
export async function serveFolder(folder: string, basePath: string): Promise<ServedFolder> {
  const files = new Map<string, string>();
  const leftOut = new Map<string, LeftOut>();
  // As browsers write paths: a space is %20.
  const base = new URL(`http://localhost${basePath.endsWith("/") ? basePath : `${basePath}/`}`).pathname;
  const app = express().disable("x-powered-by").disable("etag");
  const root = path.resolve(folder);
  const roots = { root, real: await realpath(root) };
  const documentPath = documentPaths(roots.real);
  const shown = (file: string) => shownPath(file, { folder, root });

  // Its files are for this check, not for a page in a browser of this machine whose name leads here (DNS rebinding).
  app.use((request, response, next) => {
    if (namesThisMachine(request.headers.host)) return next();
    response.status(403).type("text/plain").send("This folder is served to this machine only.\n");
  });
  // Not as a route's path, where some characters have a special meaning.
  app.use(async (request, response) => {
    const { url, originalUrl } = request;
    if (`${url}/` === base) return response.redirect(301, base);
    const isBelow = url.startsWith(base) && ["GET", "HEAD"].includes(request.method);
    const found = isBelow ? await findFile(url.slice(base.length), roots) : undefined;
    if (found?.kind === "folder") return response.redirect(301, withSlash(originalUrl));
    if (found?.kind === "unreadable") return response.status(403).type("text/plain").send(`${found.code}\n`);
    if (found?.kind === "file") {
      const document = await documentPath(found).catch(async (error: unknown) => {
        await found.handle.close();
        throw error;
      });
      // By this, a crawler knows its other URLs (RFC 9110, 8.7).
      if (document !== undefined) response.set("Content-Location", base + document);
      files.set(originalUrl, shown(found.file));
      return sendOpened(found, request, response);
    }
    if (found?.kind === "left-out") {
      leftOut.set(found.file, { url: originalUrl, file: shown(found.file), reason: found.reason });
      return response.type("text/plain").send(`Left out: ${found.reason}\n`);
    }
    const page = await findFile("404.html", roots);
    response.status(404);
    if (page?.kind === "file") return sendOpened(page, request, response);
    return response.type("text/plain").send("Not Found\n");
  });
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: origin + base,
    fileOf: (url) => (url.startsWith(`${origin}/`) ? files.get(url.slice(origin.length)) : undefined),
    leftOut: () => [...leftOut.values()],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The URL of a folder. Two slashes at its start would name a host. */
function withSlash(url: string): string {
  const [pathname = "", ...query] = url.split("?");
  return [`${pathname.replace(/^\/+/, "/")}/`, ...query].join("?");
}

/** A file as the user would name it; a folder from a configuration is an absolute path. */
function shownPath(file: string, { folder, root }: { folder: string; root: string }): string {
  const fromHere = path.relative("", file);
  const isBelow = path.isAbsolute(folder) && !fromHere.startsWith("..");
  return isBelow ? fromHere : path.join(folder, path.relative(root, file));
}
