import winston from "winston";
import { createApi } from "../../src/api/app.ts";
import type { ApiDeps } from "../../src/api/context.ts";
import { listen } from "../../src/api/http/server.ts";
import { createLocalCluster } from "../../src/cluster/local/local-cluster.ts";
import { createToken } from "../../src/database/accounts/tokens.ts";
import { once } from "../../src/domain/once.ts";
import { readGuides } from "../../src/files/read-guides.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import { htmlEngines } from "../../src/schema/html-engines.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { monthFile } from "../../src/web/month-file.ts";
import { insertAccount } from "./builders.ts";
import type { TestDatabase } from "./database.ts";
import { holdAgainstDocument } from "./openapi.ts";

/** A response with its body. `json` is the document, `{}` when there is no body. */
export type Reply = { status: number; headers: Headers; text: string; json: Document };

/** Untyped, as a client sees it: each test knows what it expects. */
export type Document = {
  data: Data & Data[];
  errors: { status: string; code: string; title: string; detail: string; source?: Record<string, string> }[];
  links: Record<"self" | "first" | "last", string> & Record<"prev" | "next", string | null>;
  meta: { total: number; page_size: number };
  jsonapi: { version: string };
};

type Data = {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  relationships: Record<string, { links: { related: string } }>;
};

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Reply>;
type CallOptions = { attributes?: object; body?: string; headers?: Record<string, string> };

const guides = once(() => readGuides());

export type TestApi = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  deps: ApiDeps;
  /** What was logged, one object per line. */
  logged: Record<string, unknown>[];
  /**
   * Calls with a token, or without; paths are below /api/v1 unless they begin with "//".
   * Each response is compared with the OpenAPI document.
   */
  as(token: string | undefined): Call;
  close(): Promise<void>;
};

/** The API on a free port, over a test's database and the local cluster. */
export async function startTestApi(database: TestDatabase, overrides: Partial<ApiDeps> = {}): Promise<TestApi> {
  const logged: Record<string, unknown>[] = [];
  const log = winston.createLogger({
    level: "debug",
    transports: [
      new winston.transports.Stream({
        stream: new (await import("node:stream")).Writable({
          objectMode: true,
          write: (line, _encoding, done) => {
            logged.push(line);
            done();
          },
        }),
      }),
    ],
  });
  const deps: ApiDeps = {
    db: database.db,
    cluster: createLocalCluster(database.db, { url: database.url, log }),
    log,
    guides,
    limits: { maxPages: 5_000, maxRateLimit: 25, htmlEngines },
    namespace: "default",
    metrics: createMetrics(),
    now: () => new Date(),
    requestsPerMinute: 0,
    receivers: { policy: addressPolicy([]), mail: true },
    people: { invites: true },
    monthFile,
    ...overrides,
  };
  const server = await listen(createApi(deps), { host: "127.0.0.1", port: 0 });
  return { url: server.url, deps, logged, as: (token) => caller(server.url, token), close: server.close };
}

function caller(url: string, token: string | undefined): Call {
  return async (method, path, { attributes, body, headers } = {}) => {
    const content = body ?? (attributes && JSON.stringify({ data: { attributes } }));
    const sentHeaders = new Headers({
      // Otherwise fetch asks for gzip, and hides that it got it.
      "accept-encoding": "identity",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && { "content-type": "application/vnd.api+json" }),
      ...headers,
    });
    const response = await fetch(path.startsWith("//") ? url + path.slice(1) : `${url}/api/v1${path}`, {
      method,
      headers: sentHeaders,
      ...(content !== undefined && { body: content }),
    });
    const text = await response.text();
    const json = /[/+]json\b/.test(response.headers.get("content-type") ?? "") && text ? JSON.parse(text) : {};
    const reply = { status: response.status, headers: response.headers, text, json };
    if (!path.startsWith("//"))
      holdAgainstDocument({ method, path, sent: attributes && { data: { attributes } }, sentHeaders, ...reply });
    return reply;
  };
}

/** An account with a token that may write. */
export async function accountWithToken(
  { db }: Pick<TestDatabase, "db">,
  account: { monthly_credits?: number } = {},
): Promise<{ accountId: string; token: string }> {
  const accountId = await insertAccount(db, account);
  const { token } = await createToken(db, { accountId, name: "test", scope: "write" });
  return { accountId, token };
}

/** A guest of an account, with a token that may write. */
export async function guestWithToken(
  { db }: Pick<TestDatabase, "db">,
  accountId: string,
  guest: { max_usage?: number } = {},
): Promise<{ guestToken: string; token: string }> {
  const guestToken = `guest-${Math.random().toString(36).slice(2)}`;
  await db
    .insertInto("guest_accounts")
    .values({ token: guestToken, account_id: accountId, max_usage: 100, ...guest })
    .execute();
  const { token } = await createToken(db, { accountId, name: "guest", scope: "write", guestToken });
  return { guestToken, token };
}
