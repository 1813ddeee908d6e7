import { createRequire } from "node:module";
import type { Engine } from "../../../domain/findings.ts";

const { version } = createRequire(import.meta.url)("html-validate/package.json") as { version: string };

/** Named without loading html-validate: only the child processes need that. */
export const htmlEngine: Engine = { name: "html-validate", version };
