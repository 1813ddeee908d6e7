import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openApiDocument } from "../src/api/openapi/document.ts";
import { routes } from "../src/api/routes.ts";
import { htmlEngines } from "../src/schema/html-engines.ts";

/** The operator's default maxima; the document that a service serves has its own. */
const limits = { maxPages: 5_000, maxRateLimit: 25, htmlEngines };

/** Writes the OpenAPI document as a service with the default maxima serves it: to `build/openapi.json`, or where the argument says. */
const file = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, "..", "build", "openapi.json"));
await mkdir(path.dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(openApiDocument(routes, limits), null, 2)}\n`);
console.log(`wrote ${path.relative(process.cwd(), file)}`);
