/** What was found, as people and programs read it. */
export type { CheckedFile } from "./checked-file.ts";
export { type OutputFormat, outputs } from "./formats.ts";
export type { Output } from "./output.ts";
export { SARIF_SCHEMA, sarifCause, sarifFix, sarifText } from "./sarif-parts.ts";
