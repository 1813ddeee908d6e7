import type { Answer, KnownAddress } from "../../../domain/addresses/known-address.ts";
import { withoutFragment } from "../../../domain/addresses/without-fragment.ts";
import { goneStatuses } from "../../../domain/coverage/coverage.ts";
import type { ExclusionReason } from "../../../domain/failure.ts";
import type { Found, Needed } from "./rules.ts";

/** The redirects that are followed. */
const MAX_HOPS = 6;

/** Addresses that are there although they are no pages of the report. */
const THERE: ReadonlySet<ExclusionReason> = new Set(["not_html", "duplicate_canonical"]);
/** What the report leaves out is not requested: by its settings, by the site's robots.txt, or because it would do harm. */
const LEFT_OUT: ReadonlySet<ExclusionReason> = new Set([
  ...(["exclusion", "robots", "signs_out", "acts", "forms", "trap", "invalid_url", "blocked_address"] as const),
]);

export type Sources = {
  /** An address as the report knows it. */
  normal: (url: string) => string;
  /** What the report knows of an address. */
  known: (url: string) => Promise<KnownAddress | undefined>;
  /** Whether an address that the report does not know may be requested. */
  mayAsk: (url: string) => Promise<boolean>;
  /** Requests an address; undefined when too many were requested. @param from the redirects that led there */
  ask: (url: string, from: readonly string[]) => Promise<readonly Answer[] | undefined>;
  /** Requests an address whose redirects lead in a circle, as a browser does, which keeps cookies on the way; undefined when it may not. */
  goRound: (url: string) => Promise<Answer | undefined>;
  /** What is known to fail is requested nevertheless: somebody may have mended it. */
  asksAgain: boolean;
};

/**
 * Finds out what is at an address: what the crawl knows is not requested.
 *
 * @param url without fragment, in its normal form
 * @param nofollow it is not requested in any case
 */
export async function findOut(
  { url: first, nofollow }: Pick<Needed, "url" | "nofollow">,
  sources: Sources,
): Promise<Found> {
  const hops: Answer[] = [];
  const answered = new Map<string, Answer>();
  const endAt = async (url: string): Promise<End> => {
    const answer = answered.get(url);
    const known = answer ? { answer } : await sources.known(url);
    const end = known && endOf(known, sources.asksAgain && !answer);
    if (end) return end;
    if (nofollow || !(await sources.mayAsk(url))) return { is: "unknown", why: "left_out" };
    const answers = await sources.ask(
      url,
      hops.map((hop) => hop.url),
    );
    if (!answers) return { is: "unknown", why: "limit" };
    for (const one of answers) answered.set(one.url, one);
    const own = answered.get(url);
    return own ? (endOf({ answer: own }, false) ?? { is: "there" }) : { is: "there" };
  };
  for (let url = first; ; ) {
    const end = await endAt(url);
    if (!("redirect" in end)) return { hops, url, end };
    hops.push(end.redirect);
    url = sources.normal(withoutFragment(end.redirect.location ?? url));
    const isCircle = hops.some((hop) => hop.url === url);
    if (hops.length <= MAX_HOPS && !isCircle) continue;
    const round = isCircle && !nofollow ? await sources.goRound(first) : undefined;
    if (round && !round.failure) return { hops: [], url: round.url, end: endOfAnswer(round) };
    const failure = {
      code: "too_many_redirects",
      detail: `${first} redirects in a loop, or more than ${MAX_HOPS} times.`,
    } as const;
    return { hops, url, end: { is: "error", status: null, failure } };
  }
}

type End = Found["end"] | { redirect: Answer };

/** @returns undefined if it has to be requested */
function endOf({ page, excluded, answer }: KnownAddress, asksAgain: boolean): End | undefined {
  // It may be gone since it was crawled, as its own checks have seen.
  if (page?.fetched && !goneStatuses.includes(page.status ?? 0)) return { is: "there" };
  if (page && !asksAgain) return endOfAnswer(page);
  if (answer?.location) return { redirect: answer };
  if (answer) return endOfAnswer(answer);
  if (page || excluded === undefined) return undefined;
  if (THERE.has(excluded)) return { is: "there" };
  return LEFT_OUT.has(excluded) ? { is: "unknown", why: "left_out" } : undefined;
}

function endOfAnswer({ status, failure }: Pick<Answer, "status" | "failure">): Found["end"] {
  const isGood = status !== null && status < 400;
  return isGood ? { is: "there" } : { is: "error", status, failure };
}
