/** What the checker knows, for those who document its rules or have rules beside it. */
export { OBSOLETE_ATTRIBUTES } from "./assertions/obsolete-tables.ts";
export { codes as parserCodes } from "./parsing/messages.ts";
