/** The shape of findings, their places in a source, and how many of them are listed. */
export { createCollection, type Located, MAX_FINDINGS, MAX_FINDINGS_OF_A_RULE, TOO_MANY_FINDINGS } from "./collect.ts";
export { formatMessage } from "./format.ts";
export { lineStarts } from "./line-starts.ts";
export { isNote, type Message, type Place } from "./message.ts";
export { createSourceLines, type SourceLines } from "./source-lines.ts";
