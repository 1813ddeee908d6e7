import type { RequestHandler } from "express";
import type { Kysely } from "kysely";
import type { Cluster } from "../cluster/port.ts";
import type { SiteThing } from "../database/accounts/site-roles.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import type { Database } from "../database/tables.ts";
import type { ReceiverLimits } from "../delivery/receiver-fault.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import type { PeopleOptions } from "../domain/accounts/people-options.ts";
import type { Principal } from "../domain/accounts/principal.ts";
import type { Right } from "../domain/accounts/roles.ts";
import type { Origin } from "../domain/audit/entry.ts";
import type { Guides } from "../domain/guides/guides.ts";
import type { Limits as RetentionLimits } from "../domain/retention/limits.ts";
import type { SpecLimits } from "../schema/validate.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { One } from "./documents.ts";
import type { EventSink } from "./events/event-stream.ts";
import type { ReportSubscriptions, SubscriptionLimits } from "./events/subscriptions.ts";
import type { Query } from "./http/request/query.ts";
import type { StoredFile } from "./http/response/send-bytes.ts";
import type { Streamed } from "./http/response/send-stream.ts";
import type { Operation } from "./openapi/operation.ts";
import type { PagePort, ServeTools, SignInProvider, SignInProxy } from "./page-port.ts";

/** What the API is built from. */
export type ApiDeps = {
  db: Kysely<Database>;
  cluster: Cluster;
  log: Logger;
  /** The guides to rules. They are read on first use, because most processes need none. */
  guides: () => Promise<Guides>;
  limits: SpecLimits;
  /**
   * The service's URL for clients, without a trailing slash; when left out, links are as each request
   * names the service, and what is passed on to others is only its path, unless that name is known to be ours.
   */
  baseUrl?: string | undefined;
  /** Encrypts secrets that must be shown again; without it no such secrets are stored. */
  encryptor?: Encryptor;
  /** Where receivers may be, and whether the service sends mail; without it nothing is sent to others. */
  receivers?: ReceiverLimits | undefined;
  /** The namespace in which Report and Schedule resources are created. */
  namespace: string;
  metrics: Metrics;
  now: () => Date;
  /**
   * Calls per minute of an account or, without a token, of an address, over all processes; 0 means no limit, 1,000 when
   * left out.
   */
  requestsPerMinute?: number;
  /** When the results of one account take this many bytes, it cannot create reports; 0 or left out: no limit. */
  maxAccountBytes?: number;
  /** What accounts keep at most; everything when left out. */
  retention?: RetentionLimits;
  /**
   * How many findings, and pages, two reports may have together to be compared, or counted again, within a request; 50,000
   * when left out. The controller does that for larger ones.
   */
  comparedAtOnce?: number;
  /** The address that the API listens on. One of loopback: requests for other hosts are refused. */
  host?: string | undefined;
  /** true: /metrics is served elsewhere, or nowhere, and not by the API. */
  hidesMetrics?: boolean;
  /** Networks of proxies whose X-Forwarded headers are believed; none when left out. */
  trustedProxies?: string[];
  /** Origins whose pages may call the API from a browser, or `*`; none when left out. */
  corsOrigins?: string[];
  /** The database's URL, to listen for changes of reports; without it, reports are polled. Also for the readiness probe. */
  databaseUrl?: string | undefined;
  subscriptionLimits?: Partial<SubscriptionLimits>;
  /** Limits of the connection that listens; defaults apply to those left out. */
  databaseLimits?: Partial<ConnectionLimits>;
  /** Creates the web pages for people, or only the guides; without it there are neither. */
  pages?: ((port: PagePort) => RequestHandler) | undefined;
  /** What the operator has set that people are told of. */
  people?: PeopleOptions | undefined;
  /** Signs people in to the pages, besides passwords and tokens. */
  provider?: SignInProvider | undefined;
  /** Says who comes to the pages, by headers. */
  proxy?: SignInProxy | undefined;
  /** People can sign in to these pages. */
  hasSignIn?: boolean | undefined;
  /** Makes a month's file of its document, which a Job prints; without it there are no files of months. */
  monthFile?: ((document: One<"month_report">, options: { now: Date; base: string }) => Promise<string>) | undefined;
  /** Serves the tools of the Model Context Protocol at `/mcp`; without it there are none. */
  tools?: ServeTools | undefined;
};

/** A request as a resource's handler sees it: admitted, read and checked. */
export type Context = {
  deps: ApiDeps;
  /** `{base}/api/v1`: the start of every link in the response. */
  base: string;
  /** The same for addresses that are stored or passed on to others: never what only the Host header says. */
  ownBase: string;
  /** Path and query as requested, for `links.self`. */
  self: { path: string; query: URLSearchParams };
  params: Readonly<Record<string, string>>;
  query: Query;
  /** null only on routes with `access: "shared"` or `"public"`. */
  caller: Principal | null;
  requestId: string;
  /** From where the request came, for those that have an entry in the audit log. */
  origin: () => Origin;
  /** A header of the request, by its name in lower case. */
  header: (name: string) => string | undefined;
  /** The response's media type. */
  mediaType: string;
  subscriptions: ReportSubscriptions;
  /** Aborts when the client disconnects, the service stops, or `after` milliseconds have passed. */
  abortSignal: (after?: number) => AbortSignal;
  /** `data.attributes` of a POST or PATCH; of a route that takes any body, what that says. */
  attributes: Readonly<Record<string, unknown>>;
  /**
   * A name for what the request creates, in lower-case hexadecimal: random or, with an idempotency key, the same for
   * every retry.
   */
  uniqueName: string;
  /** An earlier run of this request was interrupted: what it creates may already exist. */
  isRetry: boolean;
};

/** What a handler returns; the dispatcher sends it. */
export type RouteResponse =
  | { status: 200 | 201 | 202; document: object; headers?: Record<string, string> }
  | { status: 204 }
  /** An event stream. It lasts until the promise settles; the signal aborts when it has to end. */
  | { status: 200; events: (sink: EventSink, signal: AbortSignal) => Promise<void> }
  | { status: 200; file: StoredFile }
  /** A body that is generated while the client reads it. */
  | { status: 200; stream: Streamed };

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** One endpoint: what clients may know of it, and how it is done. Without `right`, GET needs `read` and others `change`. */
export type Route = Operation & {
  method: Method;
  /** Under `/api/v1`, with `:name` for parameters. */
  path: string;
  /**
   * `account`: a token is required. `shared`: a shared report is readable without a
   * token. `public`: the address itself is the credential, and tokens are ignored.
   */
  access: "account" | "shared" | "public";
  /** What a caller must have the right to do, if that does not follow from the method (domain/accounts/roles.ts). */
  right?: Right;
  /**
   * How the site is found that the operation is about, so that people with a role on single sites may do it there: by the id of
   * a thing in the address, which is not there for those without a role on its site; `caller`: what is read and written is that
   * of the caller's sites (`Whose`), whatever is asked for; `none`: it is about no site. One that says nothing is about the whole
   * account, and refused to them.
   */
  site?: SiteThing | "site" | "caller" | "none";
  /** Body or response holds a secret: neither is stored, and an Idempotency-Key is ignored. */
  showsSecret?: boolean;
  /** The request changes nothing, although it is a POST (RFC 9110, 9.2.1): an Idempotency-Key is ignored. */
  isSafe?: boolean;
  /**
   * A retry under the same Idempotency-Key runs the handler again, which finds what the first
   * run created (`Context.isRetry`). For responses with a secret, which must not be stored.
   */
  rerunsOnRetry?: boolean;
  /** Clients that are not ours send what they want: a body that cannot be read is no error. */
  takesAnyBody?: boolean;
  /** The body holds a file, which may be larger than other bodies: 8 MB and not 1. */
  takesFile?: boolean;
  /** It may make the database work for seconds: few such requests are handled at once (http/concurrency-limit.ts). */
  isHeavy?: boolean;
  handle: (context: Context) => Promise<RouteResponse>;
};
