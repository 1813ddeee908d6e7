import type { CheckOptions } from "../../../checker/engine.ts";
import { type Failure, PageError } from "../../../domain/failure.ts";
import { cssUrls } from "../../../domain/site/css-urls.ts";
import type { Answer } from "../../../domain/site/known-address.ts";
import type { GuardedFetch, ResponseHead } from "../../../net/guarded-fetch.ts";
import { createHostBreaker } from "../../../net/host-breaker.ts";
import { header } from "../../../net/request.ts";
import { createRetryPolicy, type RetryPolicy } from "../../../net/retry-policy.ts";
import { limitConcurrency } from "../../../time/limit-concurrency.ts";
import { isExternal, isRequestable, type Needed } from "./rules.ts";

/**
 * What a request gave: the answers of the redirects on the way, and of the address where they end. The last is a redirect
 * if it leads to another host, or to what may not be requested: who asks decides about that.
 */
export type Asked = {
  answers: Answer[];
  named: Named;
};

/** What a style sheet names, absolute, and how much more than is read. */
export type Named = { urls: Pick<Needed, "as" | "url">[]; leftOut: number };
const nothing: Named = { urls: [], leftOut: 0 };

/** What requests are for. */
export type AskOptions = CheckOptions & {
  /** The page that needs them. */
  page: string;
  /** Whether a redirect within its host may be followed. */
  mayAsk: (url: string) => Promise<boolean>;
};

export type Asker = {
  /**
   * Requests an address, once however often it is asked for.
   *
   * @param url without fragment
   * @param as what it is needed for: a style sheet is read
   * @returns undefined when too many addresses of its domain, or in all, were requested
   * @throws the signal's reason
   */
  ask(url: string, as: Needed["as"], options: AskOptions): Promise<Asked | undefined>;
};

export type AskerOptions = {
  /** Sends the site's credentials to the site alone. */
  http: GuardedFetch;
  /** Stores what a request gave. */
  keep: (answers: readonly Answer[]) => Promise<void>;
  now: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Other hosts are asked for one address after the other, and all of a domain at most this often. */
const INTERVAL_MS = 200;
/** Between requests to all other hosts: many names may lead to one server. */
const TOTAL_INTERVAL_MS = 20;
/** Hosts that are asked at the same time. */
const MAX_HOSTS = 20;
/** Requests to the site itself at the same time. Its rate limit is the report's. */
const MAX_OWN = 10;
/** Addresses that are requested for a report: of one other domain, of all of these, and of the site besides what the crawl knows. */
const MAX_PER_DOMAIN = 2_000;
const MAX_ADDRESSES = 50_000;
const MAX_SHEET_BYTES = 2_000_000;
/** An address of another site that takes longer does not respond. The site's own may take as long as a page. */
const TIMEOUT_MS = 10_000;
/** What sheets name is kept up to this length each: it is in memory alone. */
const MAX_NAMED_CHARACTERS = 200_000;
/** Answers and sheets that are kept in memory. Older answers are in the database. */
const MAX_KEPT = 20_000;
const MAX_KEPT_SHEETS = 200;
/**
 * What GET would give, too. Any other answer to HEAD is not believed unless it is good: some servers close the connection.
 */
const NO_SERVER: ReadonlySet<string> = new Set(["dns_error", "tls_error", "blocked_address"]);

/** Hosts whose names are made up, such as those of a wildcard, are often one server. */
type Domain = {
  /** How many addresses of its hosts were requested. */
  asked: number;
  /** When the next request to one of them may begin. */
  next: number;
};

type Host = {
  retries: RetryPolicy;
  run: ReturnType<typeof limitConcurrency>;
  /** It said that it was asked too often, and waiting did not help: nothing more is asked. */
  isBusy: boolean;
};

/** A redirect that is not followed here. */
class LeadsElsewhere extends Error {}

/** Asks for addresses politely, each once. */
export function createAsker({ http, keep, now, sleep }: AskerOptions): Asker {
  const hosts = new Map<string, Host>();
  const domains = new Map<string, Domain>();
  const asked = new Map<string, Promise<Asked | undefined>>();
  const sheets = new Map<string, Promise<Asked | undefined>>();
  const breaker = createHostBreaker();
  const inTurn = limitConcurrency(MAX_HOSTS);
  const total = { other: 0, own: 0 };

  let nextOfAll = 0;
  const hostOf = (url: string, isOther: boolean): Host => {
    const name = URL.parse(url)?.host ?? "";
    const known = hosts.get(name);
    if (known) return known;
    const retries = createRetryPolicy({ now, sleep });
    const host = { retries, run: limitConcurrency(isOther ? 1 : MAX_OWN), isBusy: false };
    hosts.set(name, host);
    return host;
  };
  const domainOf = (url: string): Domain => {
    const name = domainName(URL.parse(url)?.hostname ?? "");
    const domain = domains.get(name) ?? { asked: 0, next: 0 };
    domains.set(name, domain);
    return domain;
  };

  const request = async (url: string, as: Needed["as"], options: AskOptions): Promise<Asked> => {
    const isOther = isExternal(url, options.page);
    const host = hostOf(url, isOther);
    if (host.isBusy) return { answers: [{ url, status: null, location: null, failure: busy(url) }], named: nothing };
    const domain = domainOf(url);
    const hops: Answer[] = [];
    const beforeRequest = async (next: string): Promise<void> => {
      // Of the site itself the crawl may know the target, and credentials are for each address.
      if (hops.length > 0 && (!isOther || isExternal(next, url) || !(await options.mayAsk(next))))
        throw new LeadsElsewhere();
      if (!isOther) return options.beforeRequest();
      const wait = () => Math.max(domain.next, nextOfAll) - now();
      for (let ms = wait(); ms > 0; ms = wait()) await sleep(ms, options.signal);
      domain.next = now() + INTERVAL_MS;
      nextOfAll = now() + TOTAL_INTERVAL_MS;
    };
    const send = (method: "HEAD" | "GET", maxBytes: (head: ResponseHead) => number) =>
      host.retries.retry({ signal: options.signal, beforeRequest }, async (given) => {
        hops.length = 0;
        const response = await http.get(url, {
          ...given,
          method,
          maxBytes,
          tooLarge: "cut",
          ...(isOther && { timeLeft: TIMEOUT_MS }),
          onRedirect: ({ from, to, status }) => {
            hops.push({ url: from, status, location: to, failure: null });
            if (!isRequestable(to)) throw new LeadsElsewhere();
          },
        });
        return { ...response, retryAfter: header(response, "retry-after") };
      });
    const isSheet = as === "style sheet";
    try {
      // A host that redirects has responded.
      const response = await breaker.run(url, () => believed(send, isSheet).catch(unlessElsewhere));
      if (!response) return { answers: hops, named: nothing };
      if (response.status === 429) host.isBusy = true;
      const named = isSheet && response.body ? namedIn(response.body, response.url) : nothing;
      return {
        answers: [...hops, { url: response.url, status: response.status, location: null, failure: null }],
        named,
      };
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof PageError)) throw error;
      const last = hops.at(-1)?.location ?? url;
      // A loop ends where it began: what is known of that is that it fails.
      const failed = { url: hops.some((hop) => hop.url === last) ? url : last, status: null, location: null };
      const way = hops.filter((hop) => hop.url !== failed.url);
      return { answers: [...way, { ...failed, failure: error.failure }], named: nothing };
    }
  };

  const ask: Asker["ask"] = async (url, as, options) => {
    const isOther = isExternal(url, options.page);
    total[isOther ? "other" : "own"] += 1;
    if (isOther) domainOf(url).asked += 1;
    const work = () => request(url, as, options);
    const answer = await hostOf(url, isOther).run(() => (isOther ? inTurn(work) : work()));
    // A longer location is not stored whole.
    await keep(answer.answers.filter(({ location }) => location === null || isRequestable(location)));
    return answer;
  };
  const isTooMany = (url: string, page: string): boolean =>
    isExternal(url, page)
      ? total.other >= MAX_ADDRESSES || domainOf(url).asked >= MAX_PER_DOMAIN
      : total.own >= MAX_ADDRESSES;

  return {
    async ask(url, as, options) {
      const isSheet = as === "style sheet";
      const known = isSheet ? sheets.get(url) : (asked.get(url) ?? sheets.get(url));
      if (known) return known;
      if (isTooMany(url, options.page)) return undefined;
      const kept = isSheet ? sheets : asked;
      const promise = ask(url, as, options);
      kept.set(url, promise);
      if (kept.size > (isSheet ? MAX_KEPT_SHEETS : MAX_KEPT)) kept.delete(kept.keys().next().value ?? "");
      promise.catch(() => kept.delete(url));
      return promise;
    },
  };
}

function unlessElsewhere(error: unknown): undefined {
  if (!(error instanceof LeadsElsewhere)) throw error;
}

function busy(url: string): Failure {
  return { code: "host_unresponsive", detail: `${url} was not requested, because its host responded with 429 before.` };
}

/** Names below which many countries register, such as `co.uk`. */
const SHARED = /^(?:ac|co|com|edu|go|gob|gov|govt|ltd|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/;

/** The part of a host's name that probably has one owner: two labels, or three below shared ones. An IP address is whole. */
export function domainName(hostname: string): string {
  if (hostname.startsWith("[") || /^[\d.]+$/.test(hostname)) return hostname;
  const labels = hostname.split(".").filter((label) => label !== "");
  return labels.slice(SHARED.test(labels.slice(-2).join(".")) ? -3 : -2).join(".");
}

type Send<Response> = (method: "HEAD" | "GET", maxBytes: (head: ResponseHead) => number) => Promise<Response>;

/** HEAD, and GET where that is refused or fails: some servers know only GET. A style sheet is read at once. */
async function believed<Response extends { status: number }>(
  send: Send<Response>,
  isSheet: boolean,
): Promise<Response> {
  if (isSheet) return send("GET", ({ status }) => (status < 400 ? MAX_SHEET_BYTES : 0));
  try {
    const response = await send("HEAD", () => 0);
    // A host that is asked too often is not asked once more.
    if (response.status < 400 || response.status === 429) return response;
  } catch (error) {
    if (!(error instanceof PageError) || NO_SERVER.has(error.code)) throw error;
  }
  return send("GET", () => 0);
}

function namedIn(body: Buffer, url: string): Named {
  const { urls: written, leftOut } = cssUrls(body.toString("utf8"));
  const isCut = body.length >= MAX_SHEET_BYTES;
  // The last address of a sheet that is cut may be a part of one.
  if (isCut) written.pop();
  let characters = 0;
  const all = written.flatMap(({ as, url: one }) => {
    const { href, protocol } = URL.parse(one, url) ?? {};
    return href !== undefined && /^https?:$/.test(protocol ?? "") ? [{ as, url: href }] : [];
  });
  const urls = all.filter((one) => {
    characters += one.url.length;
    return characters <= MAX_NAMED_CHARACTERS;
  });
  return { urls, leftOut: leftOut + all.length - urls.length + (isCut ? 1 : 0) };
}
