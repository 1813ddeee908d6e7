import type { Setting } from "./setting.ts";
import {
  flag,
  GLOB_HELP,
  GLOB_TEXT,
  globs,
  MAX_INITIAL_CHARACTERS,
  MAX_URL_LENGTH,
  number,
  trackingParameters,
  url,
} from "./values.ts";

// Servers refuse requests whose headers are long; real user agents have up to 250 characters.
const userAgent = { type: "string", maxLength: 512, pattern: "^([!-~]([ -~]*[!-~])?)?$" } as const;

/** What is visited, and how. */
export const visited = {
  startingUrl: {
    schema: {
      ...url,
      description:
        "Where the crawler starts: a page, a sitemap (XML, sitemap index, gzip) or a plain text list of URLs. http or https, without user name or password.",
    },
    series: "address of the site",
    form: {
      group: "always",
      label: "Address of the site",
      help: "Where it begins: a page, a sitemap or a list, for example https://example.com/",
    },
    example: "https://example.com/",
  },
  initialUrls: {
    schema: {
      type: "array",
      items: url,
      maxItems: 1_000,
      description: `Further URLs that the crawler visits besides startingUrl; each may be a sitemap or a text list. At most ${MAX_INITIAL_CHARACTERS} characters together.`,
      default: [],
    },
    series: "further addresses",
    list: "lines",
    form: { group: "visiting", label: "Further addresses to visit", help: "One per line; pages or sitemaps.", rows: 3 },
    example: ["https://example.com/sitemap.xml"],
    after: { form: "rateLimit" },
  },
  sameSite: {
    schema: {
      type: "array",
      items: {
        type: "string",
        minLength: 1,
        maxLength: 253,
        pattern: "^(www|subdomains|(\\*\\.)?[a-z0-9_]([-a-z0-9_.]*[a-z0-9])?(:[0-9]{1,5})?)$",
      },
      maxItems: 50,
      description:
        "Further hosts that belong to the site: www (the host of startingUrl with or without www.), subdomains (of that host without www.), a host such as shop.example.com, or all below one, such as *.example.com; with a port unless it is that of the scheme. Credentials stay with their own host. Without any, other hosts are off_site.",
      default: [],
    },
    series: "hosts",
    words: "www, subdomains, or a host in lower case, such as shop.example.com or *.example.com",
    list: "commas",
    option: {
      value: "host",
      text: "check pages on this [host](#which-urls-are-visited), too: www, subdomains, a host, or `*.example.com` for all below one; may be repeated",
    },
    form: {
      group: "visiting",
      label: "Further hosts of the site",
      help: "With commas: www, subdomains, shop.example.com, or *.example.com. Credentials are not sent to them.",
    },
    example: ["www", "*.example.com"],
    after: { form: "includeGlobs" },
  },
  exclusions: {
    schema: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: MAX_URL_LENGTH },
      maxItems: 100,
      description: "URLs or parts of them; the crawler skips every URL that contains one of these strings.",
      default: [],
    },
    series: "what is left out",
    list: "lines",
    option: { name: "exclude", value: "part", text: "skip URLs that contain this; may be repeated" },
    form: {
      group: "visiting",
      label: "Leave out",
      help: "Parts of addresses, one per line, for example /archive",
      rows: 3,
    },
    example: ["/archive"],
    after: { form: "initialUrls" },
  },
  includeGlobs: {
    schema: globs(
      `Globs of the only URLs that are pages of the report, such as /docs/**. ${GLOB_TEXT} The starting and initial URLs are visited in any case, and lead on, but are pages only if a glob matches them. Without globs every URL is included.`,
    ),
    series: "addresses that alone are checked",
    list: "lines",
    option: {
      name: "include",
      value: "glob",
      text: "check only URLs that this [glob](#which-urls-are-visited) matches, such as `/docs/**`; may be repeated",
    },
    form: { group: "visiting", label: "Check only", help: GLOB_HELP, rows: 2 },
    example: ["/docs/**"],
    after: { form: "exclusions" },
  },
  excludeGlobs: {
    schema: globs(
      `Globs of URLs that the crawler skips, besides exclusions, such as *.pdf or /blog/*/comments. ${GLOB_TEXT}`,
    ),
    series: "what is left out, by pattern",
    list: "lines",
    option: {
      name: "excludeGlob",
      value: "glob",
      text: "skip URLs that this glob matches, such as `*.pdf`; may be repeated",
    },
    form: { group: "visiting", label: "Leave out, by pattern", help: GLOB_HELP, rows: 2 },
    example: ["*.pdf"],
    after: { form: "sameSite" },
  },
  maxPages: {
    schema: number(
      { minimum: 0, maximum: 1_000_000, default: 10 },
      "The maximum number of pages that the crawler includes. 0 means no limit, if the operator allows that.",
    ),
    schedule: { default: 100 },
    series: "maximum pages",
    limit: "maxPages",
    option: { value: "n", text: "maximum number of pages to check; 0 means no limit", after: "targets" },
    form: { group: "always", label: "Maximum pages", help: "0 means no limit, if the operator allows that." },
  },
  rateLimit: {
    schema: number(
      { minimum: 0, maximum: 10_000, default: 1 },
      "The maximum number of page requests per second, of crawler and checkers together. 0 means no limit, if the operator allows that.",
    ),
    schedule: { default: 5 },
    limit: "maxRateLimit",
    option: {
      value: "n",
      text: "maximum page requests per second; 0 means no limit",
      defaultAlso: ", and 0 for this machine",
      after: "deep",
    },
    form: {
      group: "visiting",
      label: "Requests per second",
      help: "0 means no limit. Ask the site's operator before you choose a high number.",
    },
    after: { form: "" },
  },
  activeDeadlineSeconds: {
    schema: number(
      { minimum: 0, maximum: 2_592_000, default: 0 },
      "How long a report may run, in seconds from the start of its crawl. When the time is up, the crawl stops, unfinished checks fail with the code deadline_exceeded, and the report ends with its results so far. 0 means no deadline.",
    ),
    option: {
      name: "timeout",
      value: "seconds",
      text: "end after this many seconds with what is checked by then; 0 means no limit",
      after: "basePath",
    },
    form: {
      group: "visiting",
      label: "Time limit in seconds",
      help: "0 means no limit; 3600 is an hour. A run that takes longer keeps its results so far.",
    },
    after: { form: "pageTimeoutSeconds" },
  },
  pageTimeoutSeconds: {
    schema: number(
      { minimum: 1, maximum: 300, default: 30 },
      "How long one page may take, in seconds: to respond, with its redirects; in a browser to load, and to be read or checked. A page that takes longer fails with the code timeout.",
    ),
    option: {
      name: "pageTimeout",
      value: "seconds",
      text: "how many seconds one page may take",
      after: "ignoredParameters",
    },
    form: { group: "visiting", label: "Seconds that one page may take" },
    after: { form: "preferCanonicalUrls" },
  },
  deepCrawl: {
    schema: flag(
      true,
      "Follow links on the pages found, until maxPages is reached. Without it only the links of the starting URL are followed, and neither those of initial URLs nor those of pages that a sitemap lists.",
    ),
    series: "whether links are followed",
    option: {
      name: "deep",
      text: "check more than the start pages and the pages that they link to",
      off: "check only the start pages and the pages that they link to",
      after: "dynamic",
    },
    form: { group: "visiting", label: "Follow the links of every page, not only those of the first" },
    after: { form: "ignoredParameters" },
  },
  preferCanonicalUrls: {
    schema: flag(true, "Check the canonical URL that a page declares instead of the URL that led to it."),
    series: "canonical addresses",
    form: { group: "visiting", label: "Check a page at the canonical address that it declares" },
    after: { form: "respectRobots" },
  },
  followFrames: {
    schema: flag(true, "Check the documents in the frames and iframes of the site as pages, too."),
    series: "frames",
    option: { text: "check the site's documents in frames as pages", after: "followHashRoutes" },
    form: { group: "visiting", label: "Check the documents in the site's frames as pages" },
    after: { form: "useSitemaps" },
  },
  followHashRoutes: {
    schema: flag(
      false,
      "Open views behind a # that links lead to, such as #/about and #!about, as pages of their own. Requires dynamicCrawler.",
    ),
    series: "how links are found",
    option: { text: "open what links behind a # lead to, such as `#/about`, as pages; implies `--dynamic`" },
    form: { group: "visiting", label: "Open views behind a #, such as #/about, as pages (with a browser)" },
    after: { form: "followFrames" },
  },
  useSitemaps: {
    schema: flag(false, "Visit what the sitemaps list that the site's robots.txt names."),
    series: "sitemaps",
    option: { text: "visit what the sitemaps list that robots.txt names" },
    form: { group: "visiting", label: "Visit what the sitemaps list that robots.txt names" },
    after: { form: "dynamicCrawler" },
  },
  ignoredParameters: {
    schema: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 100, pattern: "^[^*&=?#/;,\\s]+[*]?$" },
      maxItems: 100,
      description:
        "Names of URL parameters that do not make another page, in any case; a * at the end stands for any rest. They are removed from URLs before these are visited, in the query and after a ; in the path.",
      default: trackingParameters,
    },
    series: "ignored parameters",
    words: "the name of a parameter without its value, such as utm_source or utm_*",
    list: "commas",
    option: {
      value: "name",
      text: "URL parameter that makes no other page, instead of those of campaigns and sessions; may be repeated",
      after: "allowPosts",
    },
    form: {
      group: "visiting",
      label: "Parameters that make no other page",
      help: "Names, separated by commas, such as utm_*; they are removed from addresses.",
    },
    example: ["t_*"],
    after: { form: "excludeLinks" },
  },
  dynamicCrawler: {
    schema: flag(false, "Render pages in a headless browser, so that links created by scripts are found."),
    series: "how links are found",
    option: { name: "dynamic", text: "find links in a browser, for pages that scripts create", after: "htmlEngine" },
    form: { group: "visiting", label: "Find links with a browser, for sites whose pages are created by scripts" },
    after: { form: "deepCrawl", series: "respectRobots" },
  },
  respectRobots: {
    schema: flag(false, "Skip the URLs that the site's robots.txt disallows for the product name in userAgent."),
    series: "robots.txt",
    option: { text: "skip what robots.txt disallows" },
    form: { group: "visiting", label: "Leave out what the site's robots.txt disallows" },
    after: { form: "allowPosts" },
  },
  visitActions: {
    schema: flag(
      false,
      "Visit even addresses that change something, such as /posts/7/delete. By default they are left out as acts while credentials go to them, and otherwise if they have a one-time token, too; and what scripts of such pages send is stopped, unless it only reads. What these addresses do cannot be undone.",
    ),
    series: "addresses that change something",
    option: {
      text: "visit even addresses that [change something](sign-in.md#what-is-not-asked-for), such as `/posts/7/delete`: use a copy of the site",
    },
    form: {
      group: "visiting",
      label: "Visit even addresses that change something, such as /posts/7/delete. This cannot be undone",
    },
    after: { form: "visitForms" },
  },
  visitForms: {
    schema: flag(
      true,
      "Visit forms that edit or make something (/posts/7/edit) while credentials go to them: last, and at most three of a family, because some systems take a lock or make a draft. Without it all are left out.",
    ),
    series: "forms",
    option: {
      text: "visit forms that edit or make something while signed in, last and at most three of a family",
      off: "leave out [forms](sign-in.md#what-is-not-asked-for) that edit or make something while signed in; else they come last, at most three of a family",
    },
    form: {
      group: "visiting",
      label: "With credentials: visit forms that edit or make something, last and few of each kind",
    },
    after: { form: "followHashRoutes" },
  },
  allowPosts: {
    schema: globs(
      `Globs of addresses to which scripts of pages may send anything, such as /graphql, although credentials go there: for those that read by POST. ${GLOB_TEXT}`,
    ),
    series: "what scripts may send",
    list: "lines",
    option: {
      value: "glob",
      text: "let scripts of signed-in pages send anything to what this glob matches, such as `/graphql`; may be repeated",
    },
    form: {
      group: "visiting",
      label: "With credentials: scripts may send anything to",
      help: "Patterns of addresses that only read, one per line, such as /graphql",
      rows: 2,
    },
    example: ["/graphql"],
    after: { form: "visitActions" },
  },
  userAgent: {
    schema: {
      ...userAgent,
      description:
        "The User-Agent of every request, in browsers too, where it replaces that of the device. Printable ASCII. Everyone who can read the report can see it.",
      default: "",
    },
    series: "user agent",
    words: "printable ASCII without spaces around it",
    option: {
      value: "text",
      text: "User-Agent of every request; with `--respect-robots`, robots.txt is read for its product",
      schema: { ...userAgent, minLength: 1 },
      after: "insecureTls",
    },
    example: "PreviewBot/1.0",
    after: { series: "deviceRotated" },
  },
} as const satisfies Record<string, Setting>;
