import type { Kysely } from "kysely";
import type { Cluster } from "../cluster/port.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/encryption.ts";
import type { Principal } from "../domain/principal.ts";
import type { SpecLimits } from "../schema/validate.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { EventSink } from "./events/event-stream.ts";
import type { ReportSubscriptions, SubscriptionLimits } from "./events/subscriptions.ts";
import type { Query } from "./http/query.ts";

/** What the API is built from. */
export type ApiDeps = {
  db: Kysely<Database>;
  cluster: Cluster;
  log: Logger;
  limits: SpecLimits;
  /** How clients reach the service, without a slash at its end; made from each request's Host when left out. */
  baseUrl?: string | undefined;
  /** Keeps secrets that are shown again; without it there are none. */
  encryptor?: Encryptor;
  /** Where Report resources are made. */
  namespace: string;
  metrics: Metrics;
  now: () => Date;
  /** Calls a minute and token, over all processes; 0 is no limit, 1,000 when left out. */
  requestsPerMinute?: number;
  /** Networks of proxies whose X-Forwarded headers are believed; none when left out. */
  trustedProxies?: string[];
  /** The database's URL, to be notified of reports' changes; without it they are polled for. */
  databaseUrl?: string | undefined;
  subscriptionLimits?: Partial<SubscriptionLimits>;
  /** Limits of the connection that listens; the default's when not given. */
  databaseLimits?: Partial<ConnectionLimits>;
};

/** A request as a resource's handler sees it: admitted, read and checked. */
export type Context = {
  deps: ApiDeps;
  /** `{base}/api/v1`: links are made from it. */
  base: string;
  /** Path and query as requested, for `links.self`. */
  self: { path: string; query: URLSearchParams };
  params: Readonly<Record<string, string>>;
  query: Query;
  /** null only on routes with `access: "shared"` or `"public"`. */
  caller: Principal | null;
  requestId: string;
  /** A header of the request, by its name in lower case. */
  header: (name: string) => string | undefined;
  /** The answer's media type. */
  mediaType: string;
  subscriptions: ReportSubscriptions;
  /** Aborts when the client disconnects, the service stops, or so many milliseconds have passed. */
  abortSignal: (after?: number) => AbortSignal;
  /** `data.attributes` of a POST or PATCH. */
  attributes: Readonly<Record<string, unknown>>;
  /** Random, or from the idempotency key: the same for every repetition of one request. Lower case hexadecimal. */
  uniqueName: string;
  /** An earlier run of this very request was cut off: what it was to make may be there. */
  again: boolean;
};

/** What a handler answers with; sending it is the dispatcher's. */
export type Answer =
  | { status: 200 | 201 | 202; document: object; headers?: Record<string, string> }
  | { status: 204 }
  /** An event stream, which lasts as long as the promise; the signal aborts when it has to end. */
  | { status: 200; events: (sink: EventSink, signal: AbortSignal) => Promise<void> }
  | { status: 200; file: { type: string; bytes: Buffer } };

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** One endpoint. Everything but GET needs a token with the write scope. */
export type Route = {
  method: Method;
  /** Under `/api/v1`, with `:name` for parameters. */
  path: string;
  /**
   * `account`: a token is needed. `shared`: readable without one, when the report is
   * shared. `public`: the address itself is the credential, tokens are not looked at.
   */
  access: "account" | "shared" | "public";
  /** Names of the query parameters, written as they come (`filter[url]`); any other is refused. */
  parameters?: readonly string[];
  /** The media type of an answer that is no JSON:API document. */
  produces?: string;
  /** Body or answer hold a secret: nothing of them is stored, an Idempotency-Key says nothing here. */
  showsSecret?: boolean;
  /**
   * A POST repeated under its Idempotency-Key runs anew and meets what it made (`Context.again`):
   * for an answer that shows a secret, which must not be stored.
   */
  repeatsAnew?: boolean;
  /** The resource type that a body holds; a wrong `data.type` is a conflict. */
  bodyType?: string;
  handle: (context: Context) => Promise<Answer>;
};
