import { createRequire } from "node:module";
import type { Engine } from "../../../domain/findings.ts";

const { version } = createRequire(import.meta.url)("html-validate/package.json") as { version: string };

/** Does not import html-validate, which only the child processes need. */
export const htmlEngine: Engine = { name: "html-validate", version };
