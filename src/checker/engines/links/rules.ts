import type { Answer } from "../../../domain/addresses/known-address.ts";
import { withoutFragment } from "../../../domain/addresses/without-fragment.ts";
import { isMistaken } from "../../../domain/addresses/written-address.ts";
import type { Failure, FailureCode } from "../../../domain/failure.ts";
import type { Reference } from "../../../domain/page/references.ts";
import { ipLiteral } from "../../../net/guarded-lookup.ts";
import { MAX_URL_LENGTH } from "../../../settings/values.ts";

// Not imported: an import of node:http evaluates all its exports. One is WebSocket, which loads a second undici.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** What was found out about an address. */
export type Found = {
  /** The redirects on the way, in order. */
  hops: readonly Answer[];
  /** Where they end, without fragment. */
  url: string;
  end:
    | { is: "there" }
    | { is: "error"; status: number | null; failure: Failure | null }
    /** It was not requested, and why. */
    | { is: "unknown"; why: Unasked };
};
/** Why nobody knows: the report leaves it out, a limit was reached, or names of hosts cannot be looked up here. */
export type Unasked = "left_out" | "limit" | "no_names";

/** An address that a page needs, or that a style sheet or manifest of it names. */
export type Needed = Reference & {
  /** The style sheet. */
  sheet?: string;
  /** Or the manifest. */
  manifest?: string;
};

/** All rules: each has a guide. */
export const linkRules = [
  ...(["broken-link", "broken-external-link", "broken-resource", "broken-fragment", "invalid-address"] as const),
  ...(["mixed-content", "permanent-redirect", "redirect-chain", "unverified-link"] as const),
] as const;

/** What is wrong with an address that a page needs. */
export type Wrong = { type: "error" | "warning"; rule: (typeof linkRules)[number]; message: string };

/** What can be linked to in the page that a link leads to: undefined when that is not known. */
export type Ids = { has: (id: string) => boolean } | undefined;

/** Statuses with which servers refuse programs, and not people. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 405, 429, 999]);
/**
 * Failures at other hosts which a browser may not have: it keeps their cookies, and it fetches a certificate that the server
 * should have sent.
 */
const isDoubtful = ({ code, detail }: Failure): boolean =>
  code === "too_many_redirects" || (code === "tls_error" && /UNABLE_TO_(?:VERIFY_LEAF|GET_ISSUER)/.test(detail));
/** Failures without a page, as a browser would fail, too. Others are about checking it. */
const broken: Partial<Record<FailureCode, string>> = {
  dns_error: "its host does not exist",
  unreachable: "no connection to its server can be made",
  tls_error: "its server's TLS certificate or handshake is not accepted",
  timeout: "it does not respond in time",
  too_many_redirects: "it redirects too often, or in a loop",
  invalid_response: "its server's response is not valid HTTP",
};
/** Failures that say nothing about the address: nobody has asked for it. */
const unasked: Partial<Record<FailureCode, string>> = {
  host_unresponsive: "it was not requested, because its server refused requests before, or did not respond",
  blocked_address: "its address is not public, and may not be requested from here",
};
/** Schemes that some program may open, and no browser. */
const UNOPENED: Readonly<Record<string, string>> = {
  "ftp:": "browsers do not open ftp any more",
  "file:": "it is a file of the reader's own computer, which browsers do not open from a page",
};
const PERMANENT: ReadonlySet<number | null> = new Set([301, 308]);

/**
 * Judges an address that a page needs.
 *
 * @param page the page's URL
 * @param ids of the page that a link leads to, if it is one of the report
 */
export function judge(reference: Needed, found: Found, { page, ids }: { page: string; ids: Ids }): Wrong[] {
  return [
    ...wrongEnd(reference, found, page),
    ...wrongFragment(reference, found, ids),
    ...wrongWay(reference, found, page),
  ];
}

/** What is wrong with an address that no browser requests; undefined if it has to be found out. */
export function wrongAddress(reference: Needed, page: string): Wrong | undefined {
  const { as, url, invalid } = reference;
  if (invalid) {
    const what = isMistaken(url)
      ? "begins with no scheme that browsers know: it is mistyped, or missing"
      : "is not a valid URL";
    return {
      type: "error",
      rule: "invalid-address",
      message: `The address of the ${as}, ${JSON.stringify(url)}, ${what}.`,
    };
  }
  const [scheme = ""] = /^(?:ftp|file):/i.exec(url) ?? [];
  const unopened = UNOPENED[scheme.toLowerCase()];
  if (unopened !== undefined) {
    const subject = subjectOf(reference);
    if (as !== "link") return { type: "error", rule: "broken-resource", message: `${subject} is broken: ${unopened}.` };
    return { type: "warning", rule: "unverified-link", message: `${subject} could not be verified: ${unopened}.` };
  }
  const port = URL.parse(url)?.port ?? "";
  if (!BLOCKED_PORTS.has(Number(port))) return undefined;
  const message = `${subjectOf(reference)} is broken: no browser opens port ${port}, which is another protocol's.`;
  return { type: "error", rule: brokenRule(reference, page), message };
}

function wrongEnd(reference: Needed, { end, url }: Found, page: string): Wrong[] {
  if (end.is !== "error") return [];
  const { status, failure } = end;
  const subject = subjectOf(reference);
  const isOther = url !== withoutFragment(reference.url);
  const other = isOther ? url : "it";
  if (status !== null && REFUSALS.has(status)) {
    const message = `${subject} could not be verified: ${other} responds with ${statusText(status)}, as some servers do to programs.`;
    return [{ type: "warning", rule: "unverified-link", message }];
  }
  const code = failure?.code ?? "empty";
  // What failed is where redirects have led, and not the address that is written.
  const isCircle = failure?.code === "too_many_redirects";
  const ofOther = (text: string | undefined) =>
    text && isOther && !isCircle ? `it redirects to ${url}, and ${text}` : text;
  const isAnswer = status !== null && status >= 400;
  const why = isAnswer ? `${other} responds with ${statusText(status)}` : ofOther(broken[code]);
  const doubt =
    failure && isExternal(url, page) && isDoubtful(failure)
      ? `${why}, but a browser may get there`
      : ofOther(unasked[code]);
  if (doubt !== undefined) {
    const message = `${subject} could not be verified: ${doubt}.`;
    return [{ type: "warning", rule: "unverified-link", message }];
  }
  if (why === undefined) return [];
  return [{ type: "error", rule: brokenRule(reference, page), message: `${subject} is broken: ${why}.` }];
}

function brokenRule({ as, url }: Reference, page: string): Wrong["rule"] {
  if (as !== "link") return "broken-resource";
  return isExternal(url, page) ? "broken-external-link" : "broken-link";
}

/** Whether what an address is needed for names others, so that it is fetched and read. */
export function names(as: Needed["as"]): boolean {
  return as === "style sheet" || as === "manifest";
}

/** Whether an address is on another host than its page. */
export function isExternal(url: string, page: string): boolean {
  return URL.parse(url)?.host !== URL.parse(page)?.host;
}

/** Names that the internet never has: https://www.rfc-editor.org/rfc/rfc6761. That one is not found says nothing of others. */
const NEVER = /(?:^|\.)(?:invalid|test|example|localhost)\.?$/;

/** Whether an address failed as all others do where names of hosts cannot be looked up. */
export function needsName({ url, end }: Found, page: string): boolean {
  if (end.is !== "error" || !isExternal(url, page)) return false;
  const code = end.failure?.code;
  return (code === "dns_error" || code === "host_unresponsive") && hasName(url) && !NEVER.test(hostOf(url));
}

/** Whether a host has a name that somebody has to look up elsewhere. */
export function hasName(url: string): boolean {
  const host = hostOf(url);
  return ipLiteral(host) === undefined && !/(?:^|\.)localhost\.?$/.test(host);
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? "";
}

/** Whether a client such as this one can request an address at all: people's browsers can do more. */
export function isRequestable(url: string): boolean {
  const { protocol, username, password, port = "" } = URL.parse(url) ?? {};
  const isWeb = /^https?:$/.test(protocol ?? "") && !BLOCKED_PORTS.has(Number(port));
  return isWeb && `${username}${password}` === "" && url.length <= MAX_URL_LENGTH;
}

/** Ports of other protocols, which no browser requests: https://fetch.spec.whatwg.org/#port-blocking. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  ],
  ...[
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  ],
  ...[540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061],
  ...[6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

function wrongFragment(reference: Needed, found: Found, ids: Ids): Wrong[] {
  const place = placeOf(reference, found);
  if (place === undefined || ids === undefined || hasPlace(ids, place)) return [];
  const { url } = reference;
  const missing = `no element there has the ID ${JSON.stringify(decoded(place))}`;
  const way = found.hops.length === 0 ? "in its page" : `in ${found.url}, to which it redirects`;
  return [
    { type: "error", rule: "broken-fragment", message: `The link to ${url} leads to no place ${way}: ${missing}.` },
  ];
}

/** Whether a page has the element that a fragment names, as written or decoded. */
export function hasPlace(ids: NonNullable<Ids>, fragment: string): boolean {
  return ids.has(fragment) || ids.has(decoded(fragment));
}

/**
 * The element that a link leads to. Its fragment is kept through redirects of servers that name none themselves; a refresh
 * and a script keep none. Undefined for no fragment, for the top of the page, for a text, and for a view of a script.
 */
export function placeOf({ as, url }: Needed, { hops }: Pick<Found, "hops">): string | undefined {
  if (as !== "link") return undefined;
  const last =
    hops.length === 0 ? undefined : hops.findLast(({ status, location }) => status === null || location?.includes("#"));
  return fragmentOf(last ? (last.location ?? "") : url);
}

function fragmentOf(url: string): string | undefined {
  const hash = url.indexOf("#");
  if (hash === -1) return undefined;
  const text = url.indexOf(":~:", hash);
  const fragment = url.slice(hash + 1, text === -1 ? undefined : text);
  if (fragment === "" || fragment.toLowerCase() === "top" || /^!?\//.test(fragment) || fragment.startsWith("!"))
    return undefined;
  return fragment;
}

/** What is no escape stays as it is, and bytes that are no UTF-8 are replaced: https://url.spec.whatwg.org/#percent-decode. */
function decoded(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  return fragment.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

function wrongWay(reference: Needed, { hops, end, url }: Found, page: string): Wrong[] {
  const isMixed = reference.as !== "link" && page.startsWith("https:") && reference.url.startsWith("http:");
  if (!isMixed && hops.length === 0) return [];
  const found: Wrong[] = [];
  const subject = subjectOf(reference);
  if (isMixed)
    found.push({
      type: "warning",
      rule: "mixed-content",
      message: `${subject} is loaded by http in a page that is loaded by https: browsers block it, or load it by https.`,
    });
  const [first] = hops;
  if (end.is !== "there" || !first) return found;
  if (hops.length > 1)
    found.push({
      type: "warning",
      rule: "redirect-chain",
      message: `${subject} leads to ${url} by ${hops.length} redirects, one after the other.`,
    });
  else if (PERMANENT.has(first.status))
    found.push({
      type: "warning",
      rule: "permanent-redirect",
      message: `${subject} redirects permanently (${first.status}) to ${url}.`,
    });
  return found;
}

function subjectOf({ as, url, sheet, manifest }: Needed): string {
  const subject = `The ${as === "link" ? "link to" : as} ${withoutFragment(url)}`;
  if (sheet !== undefined) return `${subject}, which the style sheet ${sheet} names,`;
  return manifest === undefined ? subject : `${subject}, which the manifest ${manifest} names,`;
}

function statusText(status: number): string {
  return [status, STATUS_CODES[status]].filter(Boolean).join(" ");
}
