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
 * Everything that a result can say about what it covers, the most important first. Shown by the API, so codes are stable:
 * add, never rename. Most are stored in report_notices (StoredCode); the others are counted from other rows.
 */
export const noticeTexts = {
  nothing_checked: {
    severity: "gap",
    sentence: "No page was checked.",
    advice: "Mend what the failure names, then check again.",
  },
  crawl_cut_short: {
    severity: "gap",
    sentence: "The crawl ended before it had found all pages.",
    advice: "Check again with a longer deadline, or without cancelling it.",
  },
  page_limit: {
    severity: "gap",
    sentence: "The report has its maximum number of pages, so that further addresses were not visited.",
    advice: "Raise max_pages, or set it to 0 for no limit.",
  },
  link_limit: {
    severity: "gap",
    sentence: "A page has more links than are followed.",
    advice: "List the addresses in a sitemap, or in initial_urls.",
  },
  sitemap_limit: {
    severity: "gap",
    sentence: "The sitemaps have more entries than are read.",
    advice: "Check parts of the site in reports of their own.",
  },
  pages_failed: {
    severity: "gap",
    sentence: "Pages could not be checked.",
    advice: "Mend what keeps them from being checked, then check them again.",
  },
  start_redirected: {
    severity: "gap",
    sentence: "The starting URL redirects to another host, which was checked instead.",
    advice: "Start at the URL that you mean to check, with the credentials that it needs.",
  },
  start_signs_in: {
    severity: "gap",
    sentence: "The starting URL asks to sign in, so nothing behind it was checked.",
    advice:
      "Give the report credentials (a user name, headers or cookies), or start at the sign-in's own address to check that page.",
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
  hash_routes_not_opened: {
    severity: "gap",
    sentence: "Links lead to views behind a # of a page, which were not opened.",
    advice: "Set follow_hash_routes and dynamic_crawler, or give these views addresses without #.",
  },
  scripts_not_run: {
    severity: "gap",
    sentence: "A page shows nothing until its scripts run, which they did not while links were looked for.",
    advice: "Set dynamic_crawler: then links are looked for in a browser.",
  },
  frames_not_tested: {
    severity: "gap",
    sentence: "Frames of a page were not tested for accessibility.",
    advice: "Check their documents as pages of their own, and correct what keeps them from being loaded.",
  },
  not_ready: {
    severity: "gap",
    sentence: "A page was checked without what wait_for names.",
    advice: "Correct wait_for, or give the content more seconds to come.",
  },
  not_prepared: {
    severity: "gap",
    sentence: "A page was checked as it was, because a step that prepares it could not be done.",
    advice: "Correct the step, or give prepare the glob of the pages that it is meant for.",
  },
  steps_unsettled: {
    severity: "gap",
    sentence: "A page was checked while what steps had started on it was still going on.",
    advice: "Add a waitForElement for what has to be there, or check that the page comes to rest.",
  },
  not_hidden: {
    severity: "gap",
    sentence: "What hide names was not left out of a page.",
    advice: "Correct the CSS selector.",
  },
  document_changed: {
    severity: "gap",
    sentence: "A page still changed after it was tested for accessibility.",
    advice: "Check it again, or make its content come sooner: what was added later was not tested.",
  },
  not_acted: {
    severity: "gap",
    sentence: "A page could not be used to the end as acting does, so that findings of it may be missing.",
    advice: "Make the page react to keys and resizing, or check it again alone: what ended it is named.",
  },
  css_not_checked: {
    severity: "gap",
    sentence: "CSS in a page was too large or too deep to be checked.",
    advice: "Move it to a file of its own, or make it shorter.",
  },
  engine_did_not_end: {
    severity: "gap",
    sentence: "An engine did not end on a page, so that kind of check has no result for it.",
    advice: "Check the page again alone, or with another engine; a smaller page takes less.",
  },
  links_not_checked: {
    severity: "gap",
    sentence:
      "Links were not checked, because a page or a style sheet has too many, style sheets import each other too deep, or because of too many addresses of one domain.",
    advice: "Leave out what need not be checked with exclude_links, or split the site over several reports.",
  },
  links_need_scripts: {
    severity: "gap",
    sentence:
      "Addresses and places that only scripts of a page make were not judged, because scripts did not run while links were looked for.",
    advice: "Set dynamic_crawler: then links are looked for in a browser.",
  },
  no_names: {
    severity: "gap",
    sentence: "Links to other sites were not checked, because no host outside could be looked up (no DNS here).",
    advice: "Check again where names of hosts can be looked up, or leave other sites out with exclude_links.",
  },
  links_not_requested: {
    severity: "note",
    sentence: "Addresses that the report leaves out, and links with rel=nofollow, were not requested.",
    advice: "Nothing, if that is meant: exclusions, robots.txt, sign-outs and nofollow decide it.",
  },
  requests_stopped: {
    severity: "gap",
    sentence:
      "A page was checked without what its scripts asked for by requests that may change something, or by WebSockets.",
    advice: "Look at the page: it may be incomplete. Name the addresses that only read in allow_posts.",
  },
  requests_refused: {
    severity: "gap",
    sentence:
      "A page was checked without what it asked for in private networks for other hosts, or beyond what one visit may send to another host.",
    advice: "Nothing, if it is a stranger's part of the page; otherwise look at the page: it may be incomplete.",
  },
  acts_left_out: {
    severity: "note",
    sentence: "Addresses that change something on the site were not visited.",
    advice:
      "Nothing, if that is meant; visit_actions visits them, too, which should be done on a copy of the site only.",
  },
  acts_ended: {
    severity: "note",
    sentence: "After a visit that may have changed something, addresses of the same form were not visited any more.",
    advice: "Look at what was visited, and leave such addresses out with exclude_globs.",
  },
  forms_visited: {
    severity: "note",
    sentence: "Forms that edit or make something were visited, last and at most three of a kind.",
    advice: "Nothing, if that is meant; visit_forms leaves them out where opening one takes a lock or makes a draft.",
  },
  forms_left_out: {
    severity: "note",
    sentence: "Forms that edit or make something were not visited.",
    advice: "Nothing, if few of each kind are enough; name further ones in initial_urls.",
  },
  ends_session: {
    severity: "note",
    sentence:
      "A visit to an address ended the session, so that somebody signed in again; it was left out from then on.",
    advice: "Nothing, if it signs out; leave it out with exclude_globs, which saves the time.",
  },
  account_can_write: {
    severity: "note",
    sentence: "The account that is signed in can change the site.",
    advice: "Use an account that may only read: then nothing can be changed by mistake.",
  },
  actions_visited: {
    severity: "note",
    sentence: "Addresses that change something were visited, too, as visit_actions asks for.",
    advice: "Look at what has changed on the site.",
  },
  acted_in_part: {
    severity: "note",
    sentence: "A page was used in part, because it has more than acting goes through.",
    advice: "Go through the rest of it with the keyboard yourself.",
  },
  acted_on_examples: {
    severity: "note",
    sentence: "Pages are like three others that acting was done on, and were not used themselves.",
    advice: "Nothing, if that is enough; else set a11y_depth to acting_everywhere, which takes longer.",
  },
  site_reviewed_in_part: {
    severity: "note",
    sentence: "The site has more pages than are compared with each other by acting.",
    advice:
      "Compare titles and navigation of the others by other means, or check parts of the site in reports of their own.",
  },
  many_templates: {
    severity: "note",
    sentence: "Most pages are like no others, so that acting was done on most of them.",
    advice: "Nothing, if that is meant: each takes some seconds more. a11y_depth static takes none.",
  },
  state_shows_nothing: {
    severity: "note",
    sentence: "A state shows nothing that the page does not show without its steps.",
    advice: "Correct its steps: what they use may be another element than the one that is meant.",
  },
  steps_passed_by: {
    severity: "note",
    sentence: "An optional step could not be done on a page, and was passed by.",
    advice: "Nothing, if what it is for is not on every page; else correct it, or give it a longer timeout.",
  },
  no_picture: {
    severity: "note",
    sentence:
      "A page has no picture: it shows a secret of its credentials or session where that could not be painted over.",
    advice: "Look whether the page should show it. Its checks are not affected.",
  },
  other_frames_not_tested: {
    severity: "note",
    sentence: "Frames of other sites in a page were not tested for accessibility.",
    advice: "Ask whoever provides them, or check them where they come from.",
  },
  same_document: {
    severity: "note",
    sentence: "Several addresses are one document, which is visited at most once.",
    advice: "Link to one of them. The report's ignored_parameters says which parameters do not count.",
  },
  views_last: {
    severity: "note",
    sentence:
      "Many addresses show documents in another way, such as their history or in another order; they were visited last.",
    advice: "Nothing, if documents count most; leave such addresses out with exclude_globs to save their visits.",
  },
  trap: {
    severity: "note",
    sentence: "Addresses that look like an endless series were not visited.",
    advice: "List those that are pages in initial_urls or in a sitemap.",
  },
  list_limit: {
    severity: "note",
    sentence: "More addresses were left out than are listed, so that their numbers are minimums.",
    advice: "Leave out parts of the site with exclusions that match them all.",
  },
  exclusion_unused: {
    severity: "note",
    sentence: "An exclusion matched no address.",
    advice: "Correct it, or remove it.",
  },
  steps_unused: {
    severity: "note",
    sentence: "A state or preparation is meant for pages that the report does not have.",
    advice: "Correct its glob (url), or remove it.",
  },
  ignore_matched_nothing: {
    severity: "note",
    sentence: "An entry of ignore is not needed: it matched no finding, or its date has passed.",
    advice: "Correct it, or remove it.",
  },
  redirected_by_page: {
    severity: "note",
    sentence: "An address redirects by meta refresh or by script, and was followed like an HTTP redirect.",
    advice: "Redirect with an HTTP status (301 or 302), which works for every reader.",
  },
  certificate_not_verified: {
    severity: "note",
    sentence: "The TLS certificate of the site was not verified, as it was asked for.",
    advice: "Name the certificate authority that has signed it instead (--ca, CA_FILES).",
  },
  sitemaps_not_used: {
    severity: "note",
    sentence: "The site's robots.txt names a sitemap that was not used.",
    advice: "Set use_sitemaps to visit what it lists.",
  },
} as const satisfies Record<string, Text>;

export type NoticeCode = keyof typeof noticeTexts;

/** What is said while a report runs, too: somebody may want to end it. */
export const saidAtOnce: ReadonlySet<NoticeCode> = new Set([
  ...([
    "acts_left_out",
    "acts_ended",
    "forms_visited",
    "forms_left_out",
    "account_can_write",
    "actions_visited",
  ] as const),
]);

/** What is stored in report_notices; all others are counted from rows that are there anyway. */
export type StoredCode = Exclude<
  NoticeCode,
  | "nothing_checked"
  | "crawl_cut_short"
  | "pages_failed"
  | "trap"
  | "list_limit"
  | "exclusion_unused"
  | "acted_on_examples"
  | "many_templates"
  | "steps_unused"
  | "ignore_matched_nothing"
>;

/** Something that a report has to say about one address, as it is stored in report_notices. */
export type Notice = {
  code: StoredCode;
  /** The address that it is about. */
  url: string;
  /** How many things it counts, such as entries of a sitemap. */
  howMany: number;
  /** What was received, for people: "" when the address says it all. */
  detail: string;
};

/** Something that a check has to say about its page; each code once. */
export type CheckNotice = Omit<Notice, "url">;

/** Characters of a notice's detail. */
export const MAX_DETAIL = 500;

/** Notices of one code. */
export type NoticeGroup = {
  code: NoticeCode;
  how_many: number;
  /** How many addresses these are about. */
  num_urls: number;
  /** True when there are more than are counted. */
  more: boolean;
  examples: NoticeExample[];
};

export type NoticeExample = {
  /** The address that it is about; "" for what is about none, such as an exclusion. */
  url: string;
  /** What was received, for people: "" when the address says it all. */
  detail: string;
};

/** How many notices of one code a report shows; one more is stored to say that there are more. A hostile site could cause any number. */
export const MAX_NOTICES_PER_CODE = 500;
/** How many of them are shown as examples, and at most of any code: what was left out for safety is named more often. */
export const MAX_EXAMPLES = 5;
export const MOST_EXAMPLES = 10;

export function maxExamples(code: NoticeCode): number {
  return code === "acts_left_out" || code === "forms_visited" ? MOST_EXAMPLES : MAX_EXAMPLES;
}
