/**
 * What a result does not cover, or covers otherwise than a reader would expect. A gap means that something was left
 * out, so that the result is not complete; a note only says how something was read.
 */
export type Severity = "gap" | "note";

type Text = {
  severity: Severity;
  /** What happened. */
  sentence: string;
  /** What to do about it. */
  advice: string;
};

/**
 * Facts that the rows of a report do not say by themselves. Stored in report_notices and shown by the API, so codes are
 * stable: add, never rename. What can be read from other rows, such as URLs that the page limit left out, has no code here.
 */
export const noticeTexts = {
  start_redirected: {
    severity: "gap",
    sentence: "The starting URL redirects to another host, which was checked instead.",
    advice: "Start at the URL that you mean to check, with the credentials that it needs.",
  },
  robots_unread: {
    severity: "gap",
    sentence: "A robots.txt could not be read.",
    advice: "Make the server respond to it with 200 or 404, then check again.",
  },
  sitemap_incomplete: {
    severity: "gap",
    sentence: "A sitemap or list of URLs could be read in part only.",
    advice: "Correct it at the line that is named, or split it.",
  },
  sitemap_failed: {
    severity: "gap",
    sentence: "A sitemap could not be read.",
    advice: "Correct its address where it is listed, or make the server respond with a sitemap.",
  },
  sitemaps_left_out: {
    severity: "gap",
    sentence: "A robots.txt names more sitemaps than are read.",
    advice: "Name an index of the sitemaps in it.",
  },
  sitemap_entries_dropped: {
    severity: "gap",
    sentence: "Entries of a sitemap or list of URLs are not absolute URLs and were left out.",
    advice: "Write them with scheme and host, as the sitemap protocol requires.",
  },
  canonical_not_checked: {
    severity: "gap",
    sentence: "A page declares another URL as its canonical one, which was not checked.",
    advice: "Correct the canonical link, or check the site that it names.",
  },
  canonical_elsewhere: {
    severity: "note",
    sentence: "Pages declare canonical URLs on another host, which were not checked.",
    advice: "Correct the canonical links, or check the site that they name.",
  },
  same_document: {
    severity: "note",
    sentence: "Several addresses are one document, which is visited at most once.",
    advice: "Link to one of them. The report's ignored_parameters says which parameters do not count.",
  },
  redirected_by_page: {
    severity: "note",
    sentence: "An address redirects by meta refresh or by script, and was followed like an HTTP redirect.",
    advice: "Redirect with an HTTP status (301 or 302), which works for every reader.",
  },
  sitemaps_not_used: {
    severity: "note",
    sentence: "The site's robots.txt names a sitemap that was not used.",
    advice: "Set use_sitemaps to visit what it lists.",
  },
  ignore_matched_nothing: {
    severity: "note",
    sentence: "An entry of ignore matched nothing.",
    advice: "Remove it, or correct it: rules, selectors and texts may have changed.",
  },
} as const satisfies Record<string, Text>;

export type NoticeCode = keyof typeof noticeTexts;

/** Something that a report has to say about one address. */
export type Notice = {
  code: NoticeCode;
  /** The address that it is about. */
  url: string;
  /** How many things it counts, such as entries of a sitemap. */
  howMany: number;
  /** What was received, for people: "" when the address says it all. */
  detail: string;
};

/** Notices of one code. */
export type NoticeGroup = Text & {
  code: NoticeCode;
  howMany: number;
  /** True when more were seen than are stored. */
  more: boolean;
  examples: { url: string; detail: string }[];
};

/** How many notices of one code a report shows; one more is stored to say that there are more. A hostile site could cause any number. */
export const MAX_NOTICES_PER_CODE = 500;
/** How many of them are shown as examples. */
export const MAX_EXAMPLES = 5;
