/** The shape of findings, their places in a source, and how many of them are listed. */

export { type ByPlace, errorsByPlace, moreThan, placeKey } from "./by-place.ts";
export { createCollection, type Located, MAX_FINDINGS, MAX_FINDINGS_OF_A_RULE, TOO_MANY_FINDINGS } from "./collect.ts";
export { formatMessage, oneLine } from "./format.ts";
export { lineStarts } from "./line-starts.ts";
export { beginOf, isNote, LIKELY_MISTAKE, type Message, mistakesIn, type Place, severityOf } from "./message.ts";
export { createSourceLines, type SourceLines } from "./source-lines.ts";
