import type { CheckOptions } from "../../../checker/engine.ts";
import { type Failure, PageError } from "../../../domain/failure.ts";
import { cssUrls } from "../../../domain/site/css-urls.ts";
import type { Answer } from "../../../domain/site/known-address.ts";
import type { GuardedFetch, ResponseHead } from "../../../net/guarded-fetch.ts";
import { createHostBreaker } from "../../../net/host-breaker.ts";
import { header } from "../../../net/request.ts";
import { type Clock, createAllowance, createHosts, type Hosts } from "./hosts.ts";
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
  /** The redirects of other hosts that led there. */
  from?: readonly string[];
  /** Whether a redirect within its host may be followed. */
  mayAsk: (url: string) => Promise<boolean>;
  /** What was requested before this time (`now`) is requested once more. */
  since: number;
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
  /** How many pages the report has. */
  pages: number;
} & Clock;

const MAX_SHEET_BYTES = 2_000_000;
/** An address of another site that takes longer does not respond. The site's own may take as long as a page. */
const TIMEOUT_MS = 10_000;
/** What sheets name is kept up to this length each: it is in memory alone. */
const MAX_NAMED_CHARACTERS = 200_000;
/** Answers and sheets that are kept in memory. Other answers are in the database. */
const MAX_KEPT = 20_000;
const MAX_KEPT_SHEETS = 200;
/**
 * What GET would give, too. Any other answer to HEAD is not believed unless it is good: some servers close the connection.
 */
const NO_SERVER: ReadonlySet<string> = new Set(["dns_error", "tls_error", "blocked_address"]);

/** A redirect that is not followed here. */
class LeadsElsewhere extends Error {}

/** Asks for addresses politely, each once. */
export function createAsker({ http, keep, pages, now, sleep }: AskerOptions): Asker {
  const request = createRequest({ http, hosts: createHosts({ now, sleep }) });
  const links = new Map<string, Entry>();
  const sheets = new Map<string, Entry>();
  const allowance = createAllowance(pages);
  const requestAndKeep = async (url: string, as: Needed["as"], options: AskOptions): Promise<Asked> => {
    const asked = await request(url, as, options);
    await keep(asked.answers);
    return asked;
  };
  return {
    async ask(url, as, options) {
      const isSheet = as === "style sheet";
      const known = isSheet ? sheets.get(url) : (links.get(url) ?? sheets.get(url));
      const kept = isSheet ? sheets : links;
      if (known && known.begun >= options.since) {
        // The one that was not needed for longest is forgotten first.
        if (kept.delete(url)) kept.set(url, known);
        return known.promise;
      }
      if (!allowance.take(url, isExternal(url, options.page))) return undefined;
      const entry = { begun: now(), promise: requestAndKeep(url, as, options) };
      kept.set(url, entry);
      if (kept.size > (isSheet ? MAX_KEPT_SHEETS : MAX_KEPT)) kept.delete(kept.keys().next().value ?? "");
      entry.promise.catch(() => kept.delete(url));
      return entry.promise;
    },
  };
}

/** A request, and when it began. */
type Entry = { begun: number; promise: Promise<Asked> };

/** @returns a function that requests one address, and the redirects on its way */
function createRequest({ http, hosts }: { http: GuardedFetch; hosts: Hosts }) {
  const breaker = createHostBreaker();

  const send = async (url: string, as: Needed["as"], hops: Answer[], options: AskOptions) => {
    const isOther = isExternal(url, options.page);
    const { signal } = options;
    const beforeRequest = async (next: string): Promise<void> => {
      // Of the site itself the crawl may know the target, and credentials are for each address.
      if (hops.length > 0 && (!isOther || isExternal(next, url) || !(await options.mayAsk(next))))
        throw new LeadsElsewhere();
      await (isOther ? hosts.awaitTurn(url, signal) : options.beforeRequest());
    };
    return believed(as === "style sheet", (method, maxBytes) =>
      hosts.of(url, isOther).retries.retry({ signal, beforeRequest }, async (given) => {
        hops.length = 0;
        const response = await http.get(url, {
          ...given,
          method,
          maxBytes,
          tooLarge: "cut",
          from: [options.page, ...(options.from ?? [])],
          ...(isOther && { timeLeft: TIMEOUT_MS }),
          onRedirect: ({ from, to, status }) => {
            hops.push({ url: from, status, location: to, failure: null });
            if (!isRequestable(to)) throw new LeadsElsewhere();
          },
        });
        return { ...response, retryAfter: header(response, "retry-after") };
      }),
    );
  };

  const request = async (url: string, as: Needed["as"], options: AskOptions): Promise<Asked> => {
    const host = hosts.of(url, isExternal(url, options.page));
    if (host.isBusy) return { answers: [{ url, status: null, location: null, failure: busy(url) }], named: nothing };
    const hops: Answer[] = [];
    try {
      // A host that redirects has responded.
      const response = await breaker.run(url, () => send(url, as, hops, options).catch(unlessElsewhere));
      if (!response) return { answers: hops, named: nothing };
      if (response.status === 429) host.isBusy = true;
      const { status, body } = response;
      return {
        answers: [...hops, { url: response.url, status, location: null, failure: null }],
        named: as === "style sheet" && body ? namedIn(body, response.url) : nothing,
      };
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof PageError)) throw error;
      return { answers: failedAt(url, hops, error.failure), named: nothing };
    }
  };
  return (url: string, as: Needed["as"], options: AskOptions): Promise<Asked> =>
    hosts.of(url, isExternal(url, options.page)).run(() => request(url, as, options));
}

/** The redirects up to the address that failed, and its failure. A loop ends where it began. */
function failedAt(url: string, hops: readonly Answer[], failure: Failure): Answer[] {
  const last = hops.at(-1)?.location ?? url;
  const failed = hops.some((hop) => hop.url === last) ? url : last;
  return [...hops.filter((hop) => hop.url !== failed), { url: failed, status: null, location: null, failure }];
}

function unlessElsewhere(error: unknown): undefined {
  if (!(error instanceof LeadsElsewhere)) throw error;
}

function busy(url: string): Failure {
  return { code: "host_unresponsive", detail: `${url} was not requested, because its host responded with 429 before.` };
}

type Send<Response> = (method: "HEAD" | "GET", maxBytes: (head: ResponseHead) => number) => Promise<Response>;

/** HEAD, and GET where that is refused or fails: some servers know only GET. A style sheet is read at once. */
async function believed<Response extends { status: number }>(
  isSheet: boolean,
  send: Send<Response>,
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
