import { expect } from "chai";
import type { Reply } from "./client.ts";
import { expectEnvelope } from "./envelope.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { Rule, Section, Target } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** A report of the contract takes seconds, on a loaded cluster more. */
const MAX_WAIT_MS = 240_000;

/** Defines one test per rule. `open` returns the service under test, once it is up. */
export function describeContract(sections: readonly Section[], open: () => Promise<Target>): void {
  let target: Target;
  let prepared: Prepared;

  before(async () => {
    target = await open();
    prepared = await prepare(target);
  });

  for (const { title, rules } of sections)
    describe(title, () => {
      for (const entry of rules)
        it(entry.name, async () => {
          await judge(entry, target, prepared);
        });
    });
}

async function judge(entry: Rule, target: Target, prepared: Prepared): Promise<void> {
  const fill = (text: string) => filled(text, prepared.things);
  const headers: Record<string, string> = Object.fromEntries(
    Object.entries(entry.headers ?? {}).map(([name, value]) => [name, fill(value)]),
  );
  const body = entry.body ?? (entry.attributes && JSON.stringify({ data: { attributes: entry.attributes } }));
  const send = (request: string, sent: { headers?: object; body?: string | undefined } = {}) =>
    sendAs(prepared.tokens[entry.as ?? "host"], target, fill(request), sent);
  const scene: Scene = { fill, send: (request) => send(request) };
  const attempt = async () => {
    const reply = await send(entry.request, { headers, ...(body !== undefined && { body: fill(body) }) });
    expect(reply.status, `${fill(entry.request)} returned ${reply.text.slice(0, 1_000)}`).to.equal(entry.status);
    const [method = ""] = entry.request.split(" ");
    expectEnvelope(reply, { base: `${target.baseUrl}/api/v1`, method });
    await entry.expectation?.(reply, scene);
    return reply;
  };
  const reply = entry.eventually ? await untilItHolds(attempt) : await attempt();
  for (const [name, where] of Object.entries(entry.keep ?? {})) prepared.things.set(name, found(reply, where));
}

function sendAs(
  token: string | undefined,
  { baseUrl, send }: Target,
  request: string,
  { headers = {}, body }: { headers?: object; body?: string | undefined },
): Promise<Reply> {
  const [method = "", address = ""] = request.split(/ (.*)/s);
  const url = new URL(address.startsWith("http") ? address : `${baseUrl}/api/v1${address}`);
  expect(url.origin, `${address} leads to the service`).to.equal(new URL(baseUrl).origin);
  return send({
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/vnd.api+json" }),
      ...headers,
    },
    body,
  });
}

/** Tries again until nothing is wrong. If the test times out, it reports the last error. */
async function untilItHolds(attempt: () => Promise<Reply>): Promise<Reply> {
  const end = Date.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100).unref());
    }
  }
}

function filled(text: string, things: ReadonlyMap<string, string>): string {
  return text.replace(/\{([a-z][a-z0-9_]*)\}/g, (_, name: string) => {
    const value = things.get(name);
    if (value === undefined) throw new Error(`{${name}} was not prepared: a rule before this one failed.`);
    return value;
  });
}

function found({ json, headers }: Reply, where: string): string {
  const value: unknown = where.startsWith("header ")
    ? headers[where.slice("header ".length)]
    : where.split(".").reduce((inner, name) => inner?.[name], json);
  if (typeof value !== "string") throw new Error(`${where} is ${JSON.stringify(value)}, which cannot be kept.`);
  return value;
}
