import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Swagger UI's version: part of its files' addresses, so that browsers can cache them forever. */
const { version } = createRequire(import.meta.url)("swagger-ui-dist/package.json") as { version: string };

/** A file of a package; `path` is its address below /api/v1. */
export type Asset = { path: string; type: string; read: () => Promise<Buffer> };

/** The files of Swagger UI that the reference page loads, read from the installed package. */
export const assets = {
  script: {
    path: `/docs/${version}/swagger-ui-bundle.js`,
    type: "text/javascript",
    read: () => readFile(fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"))),
  },
  style: {
    path: `/docs/${version}/swagger-ui.css`,
    type: "text/css",
    read: () => readFile(fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css"))),
  },
} as const satisfies Record<string, Asset>;
