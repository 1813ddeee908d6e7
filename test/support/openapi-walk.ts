import { randomUUID } from "node:crypto";
import { routes } from "../../src/api/routes.ts";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { accountWithToken, startTestApi, type TestApi } from "./api.ts";
import type { TestDatabase } from "./database.ts";
import { documentedOperations } from "./openapi.ts";
import { type Recorded, type Recording, type Walker, walker } from "./openapi-recording.ts";
import { walkAccounts, walkNoCredits, walkReports, walkSchedules } from "./openapi-scenes.ts";
import { personWithToken } from "./people.ts";

/** A walk through the whole API: every operation, parameter, attribute and status, and the results. */
export type Walk = {
  recorded: Recorded;
  /** Unexpected statuses, as sentences. */
  surprises: string[];
};

export async function walkThroughApi(database: TestDatabase): Promise<Walk> {
  const options = { baseUrl: "https://validator.example.com", encryptor: createEncryptor("a key for the walk") };
  // Every comparison is long: the response to those is the rarer one.
  const api = await startTestApi(database, { comparedAtOnce: 0, ...options });
  const narrow = await startTestApi(database, { requestsPerMinute: 1 });
  const keyless = await startTestApi(database);
  const walk = walker();
  try {
    const host = await accountWithToken(database);
    const call = walk.recording(api.as(host.token));
    const guest = await walkAccounts(walk, api, call);
    const guestCall = walk.recording(api.as(guest));
    const schedule = await walkSchedules(walk, api, call, keyless.as(host.token));
    await walkReports(walk, { database, api, call, guestCall, accountId: host.accountId, schedule });
    await walkNoCredits(walk, database, api);
    await walkReference(walk, api);
    // A token that may start runs reads nothing, and one with the scope to read starts none.
    const bounds = { may: ["run"], siteUrls: null, siteTags: null } as const;
    const { token: reader } = await personWithToken(database, host.accountId, "editor", { scope: "read", bounds });
    await walkErrors(walk, { api, narrow, token: host.token, reader });
    await removeAll(walk, call);
  } finally {
    await Promise.all([api.close(), narrow.close(), keyless.close()]);
  }
  return { recorded: walk.recorded, surprises: walk.surprises };
}

async function walkReference(walk: Walker, api: TestApi): Promise<void> {
  const anybody = walk.recording(api.as(undefined));
  await anybody(200, "GET", "/openapi.json");
  await anybody(200, "GET", "/docs");
  await anybody(405, "PUT", "/docs");
  await anybody(405, "PUT", "/reports");
}

const takesFile: ReadonlySet<string> = new Set(routes.filter((route) => route.takesFile).map(({ id }) => id));

/** Each refusal that an operation documents, provoked in the same way everywhere. */
async function walkErrors(
  walk: Walker,
  { api, narrow, token, reader }: { api: TestApi; narrow: TestApi; token: string; reader: string },
): Promise<void> {
  const call = walk.recording(api.as(token));
  await call(201, "POST", "/api_tokens", { attributes: { name: "reader", scope: "read" } });
  const asReader = walk.recording(api.as(reader));
  const asNobody = walk.recording(api.as(undefined));
  const asStranger = walk.recording(api.as("svt_unknown"));
  const tooOften = walk.recording(narrow.as(token));
  await tooOften(200, "GET", "/usage");
  await narrow.as(undefined)("GET", "/openapi.json");

  for (const { method, path, operationId, statuses } of documentedOperations()) {
    const nowhere = path.replace("{secret}", "nothing").replace(/\{\w+\}/g, () => randomUUID());
    const hasBody = statuses.includes("415");
    const isPublic = !statuses.includes("401");
    // Without an id in its path an operation finds nothing for the one in its query.
    const lost = nowhere === path ? `${path}?report_id=${randomUUID()}` : nowhere;
    const empty = hasBody ? { attributes: {} } : {};
    const known = walk.addresses.get(operationId);
    const provoke: Record<string, () => Promise<unknown>> = {
      304: () => call(304, method, known ?? nowhere, { headers: { "if-none-match": "*" } }),
      400: () => call(400, method, `${nowhere}?nonsense=1`, empty),
      401: () => asStranger(401, method, nowhere, empty),
      403: () =>
        isPublic ? asNobody(403, method, nowhere, { body: '{"data":{"id":"1"}}' }) : asReader(403, method, nowhere),
      404: () => call(404, method, lost, empty),
      406: () => call(406, method, nowhere, { ...empty, headers: { accept: "application/zip" } }),
      413: () => call(413, method, nowhere, { body: " ".repeat(takesFile.has(operationId) ? 8_500_000 : 1_100_000) }),
      415: () => call(415, method, nowhere, { body: "{}", headers: { "content-type": "text/plain" } }),
      429: () => tooOften(429, method, nowhere),
      ...(hasBody && {
        409: () => call(409, method, nowhere, { body: '{"data":{"type":"nonsense"}}' }),
        422: () => call(422, method, nowhere, { body: '{"data":{"nonsense":1}}' }),
      }),
    };
    for (const status of statuses) await provoke[status]?.();
  }
}

/** Deletes what was read, in reverse order: pages before their report. */
async function removeAll(walk: Walker, call: Recording): Promise<void> {
  const readers = ["WebPage", "Report", "Schedule", "Muting", "ApiToken", "ShareLink", "BasicAuth", "GuestAccount"];
  for (const reader of readers)
    await call(204, "DELETE", (walk.addresses.get(`get${reader}`) ?? "/nothing").split("?")[0] ?? "");
}
