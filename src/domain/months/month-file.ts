/** The PDF of a month, and how it is: waiting for its Job, being made, there, or not to be made. */
export const monthFileStates = ["waiting", "making", "ready", "failed"] as const;

/** A file is kept so long after somebody asked for it, and so many of an account or a guest. */
export const KEPT_DAYS = 7;
export const MAX_FILES = 12;
/** What it is made from, and what is made of it. */
export const MAX_HTML_BYTES = 8_000_000;
export const MAX_PDF_BYTES = 10_000_000;
/** A Job has so long to make it. */
export const MAKING_SECONDS = 180;
