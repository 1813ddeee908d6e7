/** How many of the pages that link to an address are kept and shown; all are counted. */
export const MAX_PAGES_KEPT = 10;
