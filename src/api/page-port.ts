import type { Request, Response } from "express";
import type { Kysely } from "kysely";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import type { PeopleOptions } from "../domain/accounts/people-options.ts";
import type { Principal } from "../domain/accounts/principal.ts";
import type { Origin } from "../domain/audit/entry.ts";
import type { RequestError } from "../domain/errors.ts";
import type { Guides } from "../domain/guides/guides.ts";
import type { Network } from "../net/addresses.ts";
import type { OpenIdProvider } from "../net/openid-provider.ts";

/** A request to the API from within its process, for somebody who uses it through a page. */
export type Call = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Under `/api/v1`, without a query: `/reports/…`. */
  path: string;
  query?: URLSearchParams | undefined;
  /** `data.attributes` of a POST or PATCH. */
  attributes?: Record<string, unknown> | undefined;
  /** Who asks; null for somebody who is not signed in. */
  caller: Principal | null;
  /** The idempotency key of a form: a form that is sent twice takes effect once (http/idempotency.ts). */
  repeatKey?: string | undefined;
  /** The secret of the share link that opens the report. */
  shareSecret?: string | undefined;
  /** It reads a part of a file whose first call was counted: the limit is for requests of browsers. */
  isPart?: boolean | undefined;
};

/** The browser's request for a page: links depend on its address, and long work ends with its connection. */
export type HttpExchange = { request: Request; response: Response };

/**
 * The API's functions for pages of the same process. Access, scopes, limits, tenancy and errors are those of a request
 * over HTTP; only the way to say who asks differs.
 */
export type Calls = {
  /** @throws RequestError with the error that a request over HTTP would get */
  call(exchange: HttpExchange, call: Call): Promise<{ status: number; document?: object; file?: { bytes: Buffer } }>;
  /** Sends a file, a stream or events as the response. @throws RequestError as `call` does */
  forward(exchange: HttpExchange, call: Call): Promise<void>;
  /** Sends a file of HTML that is made while it is read, within the limits of exports. @throws RequestError 429 */
  sendFile(
    exchange: HttpExchange,
    file: { filename: string; chunks: AsyncIterable<string> },
    who: Pick<Call, "caller">,
  ): Promise<void>;
};

/** What a server of tools gets for one request of an admitted caller (src/mcp/). */
export type ToolPort = {
  /** The message that was sent. */
  message: object;
  /** @throws RequestError with the error that a request over HTTP would get */
  call(call: Omit<Call, "caller">): ReturnType<Calls["call"]>;
  /** Does what keeps this machine busy, within the caller's limit of such requests. @throws RequestError 429 or 503 */
  heavy<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Logs an error of the service, not of the caller. @returns the error as the API would send it */
  onError: (error: unknown) => RequestError;
};

/** Responds to one request for tools. */
export type ServeTools = (exchange: HttpExchange, port: ToolPort) => Promise<void>;

/** A provider of OpenID Connect, with the name that people know it by. */
export type SignInProvider = { name: string; client: OpenIdProvider };

/** A proxy in front of the service that says who comes. */
export type SignInProxy = {
  /** Where it is: headers of anybody else are ignored. */
  networks: readonly Network[];
  /** What the names of its headers begin with. */
  headers: string;
  /** The address at which it signs people out, if it has one. */
  signOut: string | undefined;
};

/** What the web pages for people get: they act on behalf of the user who is signed in, with the API's own functions. */
export type PagePort = {
  api: Calls;
  db: Kysely<Database>;
  /** The service's URL for browsers, without a trailing slash; undefined if it is not configured. */
  baseUrl: string | undefined;
  now: () => Date;
  /** Encrypts the secrets of second factors; there are none without it. */
  encryptor: Encryptor | undefined;
  /** What the operator has set that people are told of. */
  people: PeopleOptions;
  /** Signs people in, besides passwords and tokens; undefined without one. */
  provider: SignInProvider | undefined;
  /** Says who comes, instead of a page to sign in; undefined without one. */
  proxy: SignInProxy | undefined;
  /** Says in the log why nobody could sign in by the provider. */
  onProviderFailure: (error: Error, response: Response) => void;
  /** Writes a setup code to the log: the one secret that it has. */
  announceSetupCode: (code: string) => void;
  /**
   * The guides to rules, read and rendered on first use. Counts a call against the limit of the request's address.
   *
   * @throws RequestError 429
   */
  guides: (exchange: HttpExchange) => Promise<Guides>;
  /** Counts a call against the limit of the request's address. @throws RequestError 429 */
  limit: (exchange: HttpExchange) => Promise<void>;
  /** Whose limits count for somebody who is not signed in. */
  callerAddress: (request: Request) => string;
  /** From where a request came, as the audit log has it. */
  originOf: (request: Request) => Origin;
  /** Logs an error of the service, not of the caller. @returns the error as the API would send it */
  onError: (error: unknown, response: Response) => RequestError;
};
