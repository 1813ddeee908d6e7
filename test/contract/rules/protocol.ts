import { all, attributes, body, error, header, resource, text, uuid } from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const clean = { starting_url: "{site}clean" };
const posted = (name: string, sent: string, status: number, code: string, where?: string) =>
  rule(name, "POST /mutings", status, error(code, where), { body: sent });
const muting = { url_match: "/nowhere", message: "nothing" };
const typed = (name: string, type: string, status: number) =>
  rule(
    name,
    "POST /mutings",
    status,
    status === 415 ? error("unsupported_media_type", "header Content-Type") : undefined,
    { attributes: status === 415 ? muting : { url_match: "" }, headers: { "Content-Type": type } },
  );

// biome-ignore format: a table, a rule a line
export const errors: Section = {
  title: "Errors (Errors; Decisions, Errors)",
  rules: [
    rule("know no other address: 404", "GET /nothing", 404, error("not_found")),
    rule("know addresses by their case", "GET /Reports", 404, error("not_found")),
    rule("say which methods there are: 405", "DELETE /reports", 405, all(error("method_not_allowed"), header("allow", "GET, HEAD, POST, OPTIONS"))),
    rule("name the methods in the response to OPTIONS", "OPTIONS /reports/{report}", 204, header("allow", "GET, HEAD, PATCH, DELETE, OPTIONS")),
    rule("need credentials: 401", "GET /reports", 401, all(error("unauthenticated"), header("www-authenticate", /^Bearer realm=/)), { as: "anonymous" }),
    rule("need valid credentials: 401", "GET /reports", 401, all(error("invalid_token"), header("www-authenticate", /error="invalid_token"/)), { as: "anonymous", headers: { Authorization: "Bearer svt_0000000000000000000000000000" } }),
    rule("take no other scheme: 401", "GET /reports", 401, error("invalid_token"), { as: "anonymous", headers: { Authorization: "Basic YTpi" } }),
    rule("are JSON when only that is accepted", "GET /reports/{unknown_uuid}", 404, header("content-type", /^application\/json/), { headers: { Accept: "application/json" } }),
    rule("have no other media type: 406", "GET /reports", 406, error("not_acceptable", "header Accept"), { headers: { Accept: "text/csv" } }),
    rule("answer JSON:API's media type to whoever accepts all", "GET /reports", 200, header("content-type", "application/vnd.api+json"), { headers: { Accept: "*/*" } }),
    typed("take no text: 415", "text/plain", 415),
    typed("take no form: 415", "application/x-www-form-urlencoded", 415),
    typed("take no parameters of JSON:API's media type: 415", "application/vnd.api+json; charset=utf-8", 415),
    typed("take no other charset: 415", "application/json; charset=iso-8859-1", 415),
    typed("take plain JSON", "application/json", 422),
    posted("need a body: 400", "", 400, "missing_body"),
    posted("need JSON: 400", "{", 400, "malformed_json"),
    posted("need data: 400", "{}", 400, "malformed_document", "/data"),
    posted("need attributes that are an object: 400", '{"data":{"attributes":[]}}', 400, "malformed_document", "/data/attributes"),
    posted("take no array: 400", "[]", 400, "malformed_document", "/data"),
    posted("take no other type: 409", '{"data":{"type":"report","attributes":{}}}', 409, "wrong_type", "/data/type"),
    posted("take no ids of the client: 403", '{"data":{"id":"7","attributes":{}}}', 403, "client_generated_id", "/data/id"),
    posted("take no other member: 422", '{"data":{"relationships":{},"attributes":{}}}', 422, "unknown_member", "/data/relationships"),
    posted("take no NUL characters: 400", '{"data":{"attributes":{"url_match":"\\u0000","message":"x"}}}', 400, "invalid_character"),
    posted("take no keys of prototypes: 400", '{"data":{"attributes":{"__proto__":{}}}}', 400, "forbidden_key"),
    rule("refuse unknown parameters of one resource: 400", "GET /reports/{report}?include=device", 400, error("unknown_parameter", "parameter include")),
    rule("refuse parameters of what takes none: 400", "POST /reports?dry=1", 400, error("unknown_parameter", "parameter dry"), { attributes: clean }),
    rule("have a request id", "GET /reports/{unknown_uuid}", 404, header("x-request-id", /./)),
  ],
};

const key = { "Idempotency-Key": "{run}-key" };

// biome-ignore format: a table, a rule a line
export const idempotency: Section = {
  title: "Idempotency keys (Decisions; Success codes)",
  rules: [
    rule("make a thing", "POST /mutings", 201, undefined, { headers: key, attributes: muting, keep: { once: "data.id", once_at: "header location" } }),
    rule("make it once: the answer comes again", "POST /mutings", 201, all(resource("muting", muting, "{once}"), header("location", "{once_at}")), { headers: key, attributes: muting }),
    rule("are for one body", "POST /mutings", 422, error("idempotency_key_reused", "header Idempotency-Key"), { headers: key, attributes: { ...muting, comment: "other" } }),
    rule("are for one address", "POST /guest_accounts", 422, error("idempotency_key_reused", "header Idempotency-Key"), { headers: key, attributes: { max_usage: 1 } }),
    rule("are for one token", "POST /mutings", 201, ({ json }, { fill }) => {
      if (json.data.id === fill("{once}")) throw new Error("the other account's muting");
    }, { as: "stranger", headers: key, attributes: muting, keep: { theirs: "data.id" } }),
    rule("are free again after a refusal", "POST /mutings", 422, undefined, { headers: { "Idempotency-Key": "{run}-mended" }, attributes: {} }),
    rule("then take the mended request", "POST /mutings", 201, undefined, { headers: { "Idempotency-Key": "{run}-mended" }, attributes: muting, keep: { mended: "data.id" } }),
    rule("make a report", "POST /reports", 201, undefined, { headers: { "Idempotency-Key": "{run}-report" }, attributes: clean, keep: { one_report: "data.id" } }),
    rule("make the report once", "POST /reports", 201, body({ data: { id: "{one_report}" } }), { headers: { "Idempotency-Key": "{run}-report" }, attributes: clean }),
    rule("make a schedule", "POST /schedules", 201, undefined, { headers: { "Idempotency-Key": "{run}-schedule" }, attributes: { ...clean, periodicity: null }, keep: { one_schedule: "data.id" } }),
    rule("make the schedule once", "POST /schedules", 201, body({ data: { id: "{one_schedule}" } }), { headers: { "Idempotency-Key": "{run}-schedule" }, attributes: { ...clean, periodicity: null } }),
    rule("do not show a token again", "POST /api_tokens", 201, undefined, { headers: { "Idempotency-Key": "{run}-token" }, attributes: { name: "x" }, keep: { first_token: "data.id" } }),
    rule("make another token instead", "POST /api_tokens", 201, ({ json }, { fill }) => {
      if (json.data.id === fill("{first_token}")) throw new Error("the same token");
    }, { headers: { "Idempotency-Key": "{run}-token" }, attributes: { name: "x" } }),
    rule("are printable", "POST /mutings", 400, error("invalid_idempotency_key", "header Idempotency-Key"), { headers: { "Idempotency-Key": "a b" }, attributes: muting }),
    rule("leave one muting to delete", "DELETE /mutings/{once}", 204),
    rule("leave one of another account to delete", "DELETE /mutings/{theirs}", 204, undefined, { as: "stranger" }),
    rule("leave one mended to delete", "DELETE /mutings/{mended}", 204),
    rule("leave one report to delete", "DELETE /reports/{one_report}", 204),
    rule("leave one schedule to delete", "DELETE /schedules/{one_schedule}", 204),
  ],
};

// biome-ignore format: a table, a rule a line
export const polling: Section = {
  title: "Polling (ETag, Prefer: wait, events)",
  rules: [
    rule("names the version of a resource", "GET /reports/{report}", 200, all(header("etag", /^"[^"]+"$/), header("cache-control", /no-cache/)), { keep: { etag: "header etag" } }),
    rule("gets 304 for the version it has", "GET /reports/{report}", 304, header("etag", "{etag}"), { headers: { "If-None-Match": "{etag}" } }),
    rule("gets 304 when it is one of several", "GET /reports/{report}", 304, undefined, { headers: { "If-None-Match": '"other", W/{etag}' } }),
    rule("gets the resource when it has another version", "GET /reports/{report}", 200, header("etag", "{etag}"), { headers: { "If-None-Match": '"other"' } }),
    rule("tells versions of media types apart", "GET /reports/{report}", 200, undefined, { headers: { "If-None-Match": "{etag}", Accept: "application/json" } }),
    rule("names the version of a web page, too", "GET /reports/{report}/web_pages/{page}", 200, header("etag", /^"[^"]+"$/)),
    rule("has no versions of lists", "GET /reports", 200, ({ headers }) => {
      if (headers.etag !== undefined) throw new Error(headers.etag);
    }),
    rule("needs not wait for a report that has ended", "GET /reports/{report}", 200, all(attributes({ phase: "Complete" }), header("preference-applied", "wait=20")), { headers: { Prefer: "wait=20" } }),
    rule("waits for a change", "POST /reports", 201, undefined, { attributes: clean, keep: { watched: "data.id" } }),
    rule("waits until the report has ended", "GET /reports/{watched}", 200, attributes({ phase: "Complete" }), { headers: { Prefer: "wait=20" }, eventually: true }),
    rule("has the end as an event", "GET /reports/{watched}/events", 200, all(header("content-type", /^text\/event-stream/), ({ text: events }, { fill }) => {
      for (const part of ["event: report\n", "event: end\n", '"reason":"complete"', fill('"id":"{watched}"')])
        if (!events.includes(part)) throw new Error(`no ${part} in ${events}`);
    })),
    rule("has no events of another account's report", "GET /reports/{watched}/events", 404, error("not_found"), { as: "stranger", headers: { Accept: "text/event-stream" } }),
    rule("has events for those who accept them", "GET /reports/{watched}/events", 406, error("not_acceptable", "header Accept"), { headers: { Accept: "application/json" } }),
    rule("leaves a report to delete", "DELETE /reports/{watched}", 204),
  ],
};

// biome-ignore format: a table, a rule a line
export const limits: Section = {
  title: "Limits of API calls (Decisions; Meaning)",
  rules: [
    rule("are told with every answer", "GET /usage", 200, all(header("ratelimit-limit", /^\d+$/), header("ratelimit-remaining", /^\d+$/), header("ratelimit-reset", /^\d+$/))),
    rule("are told to those without credentials", "GET /usage", 401, header("ratelimit-limit", /^\d+$/), { as: "anonymous" }),
    rule("are told with errors", "GET /reports/{unknown_uuid}", 404, header("ratelimit-remaining", /^\d+$/)),
  ],
};

// biome-ignore format: a table, a rule a line
export const description: Section = {
  title: "The API's own description",
  rules: [
    rule("is an OpenAPI document for everybody", "GET /openapi.json", 200, body({ openapi: { kind: "3.1", holds: (value: unknown) => /^3\.1\./.test(String(value)) }, info: { title: text } }), { as: "anonymous" }),
    rule("is a page for everybody", "GET /docs", 200, header("content-type", /^text\/html/), { as: "anonymous" }),
    rule("names the ids of reports as the answers have them", "GET /reports/{report}", 200, resource("report", {}, uuid)),
  ],
};
