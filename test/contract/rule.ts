import type { Send } from "./client.ts";
import type { Expectation } from "./expectations.ts";

/** Who sends a request. `stranger` is of another account, `reader` has the host's read-only token. */
export type Caller = "host" | "reader" | "guest" | "stranger" | "anonymous";

/** One rule of the specification: what a client sends, and what it may rely on. */
export type Rule = {
  /** A sentence. */
  name: string;
  /** Method and path below /api/v1, or a link; `{report}` and the like stand for prepared things. */
  request: string;
  status: number;
  expectation?: Expectation;
  /** The host unless it says otherwise. */
  as?: Caller;
  headers?: Readonly<Record<string, string>>;
  /** `data.attributes` of the body. */
  attributes?: Readonly<Record<string, unknown>>;
  /** The whole body, as text. */
  body?: string;
  /** Prepares things for the rules after this one: by name, where in the response (`data.id`) or which header (`header etag`). */
  keep?: Readonly<Record<string, string>>;
  /** The response may take a while: the request is repeated until it is as expected. */
  eventually?: true;
};

/** The rules of one section; they run in this order. */
export type Section = { title: string; rules: readonly Rule[] };

type Further = Pick<Rule, "as" | "headers" | "attributes" | "body" | "keep" | "eventually">;

/** Writes a rule in one line. */
export function rule(
  name: string,
  request: string,
  status: number,
  expectation?: Expectation,
  further: Further = {},
): Rule {
  return { name, request, status, ...(expectation && { expectation }), ...further };
}

/** The service under test. Its rate limit is far above the calls of the suite. */
export type Target = {
  /** Origin of the service as its links name it. */
  baseUrl: string;
  send: Send;
  token: string;
  /** A token of another account. */
  strangersToken: string;
  /** Where the service finds the fixture site: origin and a slash. */
  siteUrl: string;
};
