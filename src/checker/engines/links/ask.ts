import type { Answer } from "../../../domain/addresses/known-address.ts";
import { withoutFragment } from "../../../domain/addresses/without-fragment.ts";
import { type Failure, PageError } from "../../../domain/failure.ts";
import type { GuardedFetch, ResponseHead } from "../../../net/guarded-fetch.ts";
import { createHostBreaker } from "../../../net/host-breaker.ts";
import { header } from "../../../net/request.ts";
import type { CheckOptions } from "../../engine.ts";
import { type Clock, createAllowance, createHosts, type Hosts } from "./hosts.ts";
import { MAX_BYTES, type Named, namedIn, nothing } from "./named.ts";
import { hasName, isExternal, isRequestable, type Needed, names } from "./rules.ts";

/**
 * What a request gave: the answers of the redirects on the way, and of the address where they end. The last is a redirect
 * if it leads to another host, or to what may not be requested: who asks decides about that.
 */
export type Asked = {
  answers: Answer[];
  named: Named;
};

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
   * @param as what it is needed for: a style sheet or manifest is read
   * @returns undefined when too many addresses of its domain, or in all, were requested
   * @throws the signal's reason
   */
  ask(url: string, as: Needed["as"], options: AskOptions): Promise<Asked | undefined>;
  /**
   * Requests an address as a browser does, from one host to another and with the cookies that they set on the way, once.
   *
   * @returns what is at the end; undefined when what it leads to may not be requested
   */
  goRound(url: string, options: AskOptions): Promise<Answer | undefined>;
  /** Whether the names of hosts can be looked up here: one was, or those of the internet can. */
  resolvesNames(): Promise<boolean>;
};

export type AskerOptions = {
  /** Sends the site's credentials to the site alone. */
  http: GuardedFetch;
  /** Stores what a request gave. */
  keep: (answers: readonly Answer[]) => Promise<void>;
  /** How many pages the report has. */
  pages: number;
  /** Whether names of the internet can be looked up. */
  resolvesNames: () => Promise<boolean>;
} & Clock;

/** An address of another site that takes longer does not respond. The site's own may take as long as a page. */
const TIMEOUT_MS = 10_000;
/** Answers and what sheets and manifests name that are kept in memory. Other answers are in the database. */
const MAX_KEPT = 20_000;
const MAX_KEPT_SHEETS = 200;
/** Addresses whose redirects lead in a circle that are requested once more. */
const MAX_ROUNDS = 200;
/**
 * What GET would give, too. Any other answer to HEAD is not believed unless it is good: some servers close the connection.
 */
const NO_SERVER: ReadonlySet<string> = new Set(["dns_error", "tls_error", "blocked_address"]);

/** A redirect that is not followed here. */
class LeadsElsewhere extends Error {}

/** Asks for addresses politely, each once. */
export function createAsker({ http, keep, pages, now, sleep, ...options }: AskerOptions): Asker {
  const hosts = createHosts({ now, sleep });
  const lookUps = { succeed: false };
  const request = createRequest({ http, hosts, lookUps });
  const rounds = new Map<string, Promise<Answer | undefined>>();
  let resolves: Promise<boolean> | undefined;
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
      const isSheet = names(as);
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
    async goRound(url, asking) {
      const known = rounds.get(url);
      if (known) return known;
      if (rounds.size >= MAX_ROUNDS) return undefined;
      const round = goRound(url, asking, { http, hosts });
      rounds.set(url, round);
      round.catch(() => rounds.delete(url));
      return round;
    },
    async resolvesNames() {
      resolves ??= lookUps.succeed ? Promise.resolve(true) : options.resolvesNames();
      return lookUps.succeed || resolves;
    },
  };
}

/** Requests an address and all that it leads to. */
async function goRound(
  first: string,
  { page, from = [], signal, beforeRequest, mayAsk }: AskOptions,
  { http, hosts }: { http: GuardedFetch; hosts: Hosts },
): Promise<Answer | undefined> {
  const before = async (url: string): Promise<void> => {
    if (!(await mayAsk(url))) throw new LeadsElsewhere();
    await (isExternal(url, page) ? hosts.awaitTurn(url, signal) : beforeRequest());
  };
  try {
    const { url, status } = await http.get(first, {
      from: [page, ...from],
      signal,
      beforeRequest: before,
      maxBytes: () => 0,
      tooLarge: "cut",
      asBrowser: true,
    });
    return { url, status, location: null, failure: null };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LeadsElsewhere) return undefined;
    if (!(error instanceof PageError)) throw error;
    return { url: first, status: null, location: null, failure: error.failure };
  }
}

/** A request, and when it began. */
type Entry = { begun: number; promise: Promise<Asked> };

/** @returns a function that requests one address, and the redirects on its way */
function createRequest({
  http,
  hosts,
  lookUps,
}: {
  http: GuardedFetch;
  hosts: Hosts;
  /** Whether the name of another host was looked up. */
  lookUps: { succeed: boolean };
}) {
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
    return believed(names(as), (method, maxBytes) =>
      hosts.of(url, isOther).retries.retry({ signal, beforeRequest }, async (given) => {
        hops.length = 0;
        const response = await http.get(url, {
          ...given,
          method,
          maxBytes,
          tooLarge: "cut",
          from: [options.page, ...(options.from ?? [])],
          ...(isOther && { timeLeft: TIMEOUT_MS }),
          onRestart: () => {
            hops.length = 0;
          },
          onRedirect: ({ from, to, status, fragment = "" }) => {
            hops.push({ url: from, status, location: to + fragment, failure: null });
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
      if (isExternal(url, options.page) && hasName(url)) lookUps.succeed = true;
      const { status, body } = response;
      return {
        answers: [...hops, { url: response.url, status, location: null, failure: null }],
        named: names(as) && body ? namedIn(as, body, response.url) : nothing,
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
  const last = withoutFragment(hops.at(-1)?.location ?? url);
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

/** HEAD, and GET where that is refused or fails: some servers know only GET. A style sheet or manifest is read at once. */
async function believed<Response extends { status: number }>(
  isSheet: boolean,
  send: Send<Response>,
): Promise<Response> {
  if (isSheet) return send("GET", ({ status }) => (status < 400 ? MAX_BYTES : 0));
  try {
    const response = await send("HEAD", () => 0);
    // A host that is asked too often is not asked once more.
    if (response.status < 400 || response.status === 429) return response;
  } catch (error) {
    if (!(error instanceof PageError) || NO_SERVER.has(error.code)) throw error;
  }
  return send("GET", () => 0);
}
