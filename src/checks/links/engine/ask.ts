import type { CheckOptions } from "../../../checker/engine.ts";
import { PageError } from "../../../domain/failure.ts";
import { cssUrls } from "../../../domain/site/css-urls.ts";
import type { Answer } from "../../../domain/site/known-address.ts";
import type { GuardedFetch, ResponseHead } from "../../../net/guarded-fetch.ts";
import { createHostBreaker } from "../../../net/host-breaker.ts";
import { header } from "../../../net/request.ts";
import { createRetryPolicy, type RetryPolicy } from "../../../net/retry-policy.ts";
import { limitConcurrency } from "../../../time/limit-concurrency.ts";
import { isExternal, type Needed } from "./rules.ts";

/** What a request gave: the answers of the redirects on the way, and of the address where they end. */
export type Asked = {
  answers: Answer[];
  /** What a style sheet names. */
  named: Pick<Needed, "as" | "url">[];
};

export type Asker = {
  /**
   * Requests an address, once however often it is asked for.
   *
   * @param url without fragment
   * @param as what it is needed for: a style sheet is read
   * @returns undefined when too many addresses of its host, or in all, were requested
   * @throws the signal's reason
   */
  ask(url: string, as: Needed["as"], page: string, options: CheckOptions): Promise<Asked | undefined>;
};

export type AskerOptions = {
  /** Sends the site's credentials to the site alone. */
  http: GuardedFetch;
  /** Stores what a request gave. */
  keep: (answers: readonly Answer[]) => Promise<void>;
  now: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Other hosts are asked for one address after the other, at most this often. */
const INTERVAL_MS = 200;
/** Hosts that are asked at the same time. */
const MAX_HOSTS = 20;
/** Requests to the site itself at the same time. Its rate limit is the report's. */
const MAX_OWN = 10;
/** Addresses that are requested for a report: of one other host, of all of these, and of the site besides what the crawl knows. */
const MAX_PER_HOST = 2_000;
const MAX_ADDRESSES = 50_000;
const MAX_SHEET_BYTES = 2_000_000;
/** What GET would give, too. Any other answer to HEAD is not believed unless it is good. */
const NO_SERVER: ReadonlySet<string> = new Set(["dns_error", "unreachable", "tls_error", "blocked_address"]);

type Host = {
  retries: RetryPolicy;
  run: ReturnType<typeof limitConcurrency>;
  /** How many of its addresses were requested. */
  asked: number;
  /** When the next request may begin. */
  next: number;
  /** It said that it was asked too often, and waiting did not help: nothing more is asked. */
  isBusy: boolean;
};

/** Asks for addresses politely, each once. */
export function createAsker({ http, keep, now, sleep }: AskerOptions): Asker {
  const hosts = new Map<string, Host>();
  const asked = new Map<string, Promise<Asked | undefined>>();
  const breaker = createHostBreaker();
  const inTurn = limitConcurrency(MAX_HOSTS);
  const total = { other: 0, own: 0 };

  const hostOf = (url: string, isOther: boolean): Host => {
    const name = URL.parse(url)?.host ?? "";
    const known = hosts.get(name);
    if (known) return known;
    const retries = createRetryPolicy({ now, sleep });
    const host = { retries, run: limitConcurrency(isOther ? 1 : MAX_OWN), asked: 0, next: 0, isBusy: false };
    hosts.set(name, host);
    return host;
  };

  const request = async (url: string, as: Needed["as"], page: string, options: CheckOptions): Promise<Asked> => {
    const isOther = isExternal(url, page);
    const host = hostOf(url, isOther);
    if (host.isBusy) return { answers: [{ url, status: 429, location: null, failure: null }], named: [] };
    const beforeRequest = async (next: string): Promise<void> => {
      if (!isExternal(next, page)) return options.beforeRequest();
      for (let ms = host.next - now(); ms > 0; ms = host.next - now()) await sleep(ms, options.signal);
      host.next = now() + INTERVAL_MS;
    };
    const hops: Answer[] = [];
    const send = (method: "HEAD" | "GET", maxBytes: (head: ResponseHead) => number) =>
      host.retries.retry({ signal: options.signal, beforeRequest }, async (given) => {
        hops.length = 0;
        const response = await http.get(url, {
          ...given,
          method,
          maxBytes,
          tooLarge: "cut",
          onRedirect: ({ from, to, status }) => hops.push({ url: from, status, location: to, failure: null }),
        });
        return { ...response, retryAfter: header(response, "retry-after") };
      });
    const isSheet = as === "style sheet";
    try {
      const response = await breaker.run(url, () => believed(send, isSheet));
      if (response.status === 429) host.isBusy = true;
      const named = isSheet && response.body ? namedIn(response.body.toString("utf8"), response.url) : [];
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
      return { answers: [...way, { ...failed, failure: error.failure }], named: [] };
    }
  };

  const ask: Asker["ask"] = async (url, as, page, options) => {
    const isOther = isExternal(url, page);
    const host = hostOf(url, isOther);
    const which = isOther ? "other" : "own";
    if (total[which] >= MAX_ADDRESSES || (isOther && host.asked >= MAX_PER_HOST)) return undefined;
    host.asked += 1;
    total[which] += 1;
    const answer = await host.run(() =>
      isOther ? inTurn(() => request(url, as, page, options)) : request(url, as, page, options),
    );
    await keep(answer.answers);
    return answer;
  };

  return {
    ask(url, as, page, options) {
      const key = as === "style sheet" ? `${as} ${url}` : url;
      const known = asked.get(key) ?? asked.get(`style sheet ${url}`);
      if (known) return known;
      const promise = ask(url, as, page, options);
      asked.set(key, promise);
      promise.catch(() => asked.delete(key));
      return promise;
    },
  };
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
    if (response.status < 400) return response;
  } catch (error) {
    if (!(error instanceof PageError) || NO_SERVER.has(error.code)) throw error;
  }
  return send("GET", () => 0);
}

/** What a style sheet names, absolute. */
function namedIn(css: string, url: string): Asked["named"] {
  return cssUrls(css).flatMap(({ as, url: written }) => {
    const parsed = URL.parse(written, url);
    return parsed && /^https?:$/.test(parsed.protocol) ? [{ as, url: parsed.href }] : [];
  });
}
