import { all, attributes, body, type Expectation, error, header, resource, text, uuid } from "../expectations.ts";
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
    rule("are 404 for an unknown path", "GET /nothing", 404, error("not_found")),
    rule("are 404 for a path in another case", "GET /Reports", 404, error("not_found")),
    rule("are 404 for a path with a slash at its end, as for an empty id", "GET /devices/", 404, error("not_found")),
    rule("are 405 for another method, and name those that are allowed", "DELETE /reports", 405, all(error("method_not_allowed"), header("allow", "GET, HEAD, POST, OPTIONS"))),
    rule("are not returned for OPTIONS, whose response names the methods", "OPTIONS /reports/{report}", 204, header("allow", "GET, HEAD, PATCH, DELETE, OPTIONS")),
    rule("are 401 without credentials", "GET /reports", 401, all(error("unauthenticated"), header("www-authenticate", /^Bearer realm=/)), { as: "anonymous" }),
    rule("are 401 with an invalid token", "GET /reports", 401, all(error("invalid_token"), header("www-authenticate", /error="invalid_token"/)), { as: "anonymous", headers: { Authorization: "Bearer svt_0000000000000000000000000000" } }),
    rule("are 401 with another authentication scheme", "GET /reports", 401, error("invalid_token"), { as: "anonymous", headers: { Authorization: "Basic YTpi" } }),
    rule("are plain JSON if nothing else is acceptable", "GET /reports/{unknown_uuid}", 404, header("content-type", /^application\/json/), { headers: { Accept: "application/json" } }),
    rule("are 406 if no offered media type is acceptable", "GET /reports", 406, error("not_acceptable", "header Accept"), { headers: { Accept: "text/csv" } }),
    rule("are not returned for Accept: */*, whose response is JSON:API", "GET /reports", 200, header("content-type", "application/vnd.api+json"), { headers: { Accept: "*/*" } }),
    typed("are 415 for plain text", "text/plain", 415),
    typed("are 415 for a form", "application/x-www-form-urlencoded", 415),
    typed("are 415 for JSON:API with a media type parameter", "application/vnd.api+json; charset=utf-8", 415),
    typed("are 415 for another charset", "application/json; charset=iso-8859-1", 415),
    typed("are 422, not 415, for plain JSON", "application/json", 422),
    posted("are 400 without a body", "", 400, "missing_body"),
    posted("are 400 for a body that is not JSON", "{", 400, "malformed_json"),
    posted("are 400 for a body without data", "{}", 400, "malformed_document", "/data"),
    rule("say in words what is missing", "POST /mutings", 400, body({ errors: [{ detail: 'The body must be {"data":{"attributes":{…}}}; data is missing.' }] }), { body: "{}" }),
    posted("are 400 for attributes that are not an object", '{"data":{"attributes":[]}}', 400, "malformed_document", "/data/attributes"),
    posted("are 400 for an array", "[]", 400, "malformed_document", "/data"),
    posted("are 409 for another resource type", '{"data":{"type":"report","attributes":{}}}', 409, "wrong_type", "/data/type"),
    posted("are 403 for an id that the client chose", '{"data":{"id":"7","attributes":{}}}', 403, "client_generated_id", "/data/id"),
    posted("are 422 for an unknown member", '{"data":{"relationships":{},"attributes":{}}}', 422, "unknown_member", "/data/relationships"),
    posted("are 400 for a NUL character", '{"data":{"attributes":{"url_match":"\\u0000","message":"x"}}}', 400, "invalid_character"),
    posted("are 400 for a prototype's key", '{"data":{"attributes":{"__proto__":{}}}}', 400, "forbidden_key"),
    rule("are 400 for an unknown parameter of a resource", "GET /reports/{report}?include=device", 400, error("unknown_parameter", "parameter include")),
    rule("are 400 for a parameter where none is allowed", "POST /reports?dry=1", 400, error("unknown_parameter", "parameter dry"), { attributes: clean }),
    rule("have a request id", "GET /reports/{unknown_uuid}", 404, header("x-request-id", /./)),
  ],
};

const key = { "Idempotency-Key": "{run}-key" };

// biome-ignore format: a table, a rule a line
export const idempotency: Section = {
  title: "Idempotency keys (Decisions; Success codes)",
  rules: [
    rule("create a muting", "POST /mutings", 201, undefined, { headers: key, attributes: muting, keep: { once: "data.id", once_at: "header location" } }),
    rule("create the muting once, and replay the response", "POST /mutings", 201, all(resource("muting", muting, "{once}"), header("location", "{once_at}")), { headers: key, attributes: muting }),
    rule("cannot be used again with another body", "POST /mutings", 422, error("idempotency_key_reused", "header Idempotency-Key"), { headers: key, attributes: { ...muting, comment: "other" } }),
    rule("cannot be used again at another path", "POST /guest_accounts", 422, error("idempotency_key_reused", "header Idempotency-Key"), { headers: key, attributes: { max_usage: 1 } }),
    rule("of another account are separate", "POST /mutings", 201, ({ json }, { fill }) => {
      if (json.data.id === fill("{once}")) throw new Error("the other account's muting");
    }, { as: "stranger", headers: key, attributes: muting, keep: { theirs: "data.id" } }),
    rule("are not used up by a refused request", "POST /mutings", 422, undefined, { headers: { "Idempotency-Key": "{run}-mended" }, attributes: {} }),
    rule("can be used again with the corrected request", "POST /mutings", 201, undefined, { headers: { "Idempotency-Key": "{run}-mended" }, attributes: muting, keep: { mended: "data.id" } }),
    rule("create a report", "POST /reports", 201, undefined, { headers: { "Idempotency-Key": "{run}-report" }, attributes: clean, keep: { one_report: "data.id" } }),
    rule("create the report once", "POST /reports", 201, body({ data: { id: "{one_report}" } }), { headers: { "Idempotency-Key": "{run}-report" }, attributes: clean }),
    rule("create a schedule", "POST /schedules", 201, undefined, { headers: { "Idempotency-Key": "{run}-schedule" }, attributes: { ...clean, periodicity: null }, keep: { one_schedule: "data.id" } }),
    rule("create the schedule once", "POST /schedules", 201, body({ data: { id: "{one_schedule}" } }), { headers: { "Idempotency-Key": "{run}-schedule" }, attributes: { ...clean, periodicity: null } }),
    rule("create an API token", "POST /api_tokens", 201, undefined, { headers: { "Idempotency-Key": "{run}-token" }, attributes: { name: "x" }, keep: { first_token: "data.id" } }),
    rule("create another token instead of showing a secret again", "POST /api_tokens", 201, ({ json }, { fill }) => {
      if (json.data.id === fill("{first_token}")) throw new Error("the same token");
    }, { headers: { "Idempotency-Key": "{run}-token" }, attributes: { name: "x" } }),
    rule("are refused if they are not printable", "POST /mutings", 400, error("invalid_idempotency_key", "header Idempotency-Key"), { headers: { "Idempotency-Key": "a b" }, attributes: muting }),
    rule("leave one muting to be deleted", "DELETE /mutings/{once}", 204),
    rule("leave the other account's muting to be deleted", "DELETE /mutings/{theirs}", 204, undefined, { as: "stranger" }),
    rule("leave the corrected request's muting to be deleted", "DELETE /mutings/{mended}", 204),
    rule("leave one report to be deleted", "DELETE /reports/{one_report}", 204),
    rule("leave one schedule to be deleted", "DELETE /schedules/{one_schedule}", 204),
  ],
};

/** A proxy may ask for gzip where the client says nothing, and gets a weak ETag. */
const identity = { "Accept-Encoding": "identity" };

// biome-ignore format: a table, a rule a line
export const polling: Section = {
  title: "Polling (ETag, Prefer: wait, events)",
  rules: [
    rule("has an ETag for a resource", "GET /reports/{report}", 200, all(header("etag", /^"[^"]+"$/), header("cache-control", /no-cache/)), { headers: identity, keep: { etag: "header etag" } }),
    rule("gets 304 if the version is current", "GET /reports/{report}", 304, header("etag", "{etag}"), { headers: { ...identity, "If-None-Match": "{etag}" } }),
    rule("gets 304 if one of several versions is current", "GET /reports/{report}", 304, undefined, { headers: { ...identity, "If-None-Match": '"other", W/{etag}' } }),
    rule("gets the resource if the version is not current", "GET /reports/{report}", 200, header("etag", "{etag}"), { headers: { ...identity, "If-None-Match": '"other"' } }),
    rule("has different ETags for different media types", "GET /reports/{report}", 200, undefined, { headers: { ...identity, "If-None-Match": "{etag}", Accept: "application/json" } }),
    rule("has an ETag for a web page, too", "GET /reports/{report}/web_pages/{page}", 200, header("etag", /^"[^"]+"$/), { headers: identity }),
    rule("has no ETag for a list", "GET /reports", 200, ({ headers }) => {
      if (headers.etag !== undefined) throw new Error(headers.etag);
    }),
    rule("does not wait for a report that has ended", "GET /reports/{report}", 200, all(attributes({ phase: "Complete" }), header("preference-applied", "wait=20")), { headers: { Prefer: "wait=20" } }),
    rule("starts with a new report", "POST /reports", 201, undefined, { attributes: clean, keep: { watched: "data.id" } }),
    rule("waits until the report has ended", "GET /reports/{watched}", 200, attributes({ phase: "Complete" }), { headers: { Prefer: "wait=20" }, eventually: true }),
    rule("has an event for the end", "GET /reports/{watched}/events", 200, all(header("content-type", /^text\/event-stream/), ({ text: events }, { fill }) => {
      for (const part of ["event: report\n", "event: end\n", '"reason":"complete"', fill('"id":"{watched}"')])
        if (!events.includes(part)) throw new Error(`no ${part} in ${events}`);
    })),
    rule("has no events of another account's report", "GET /reports/{watched}/events", 404, error("not_found"), { as: "stranger", headers: { Accept: "text/event-stream" } }),
    rule("has events in no other media type", "GET /reports/{watched}/events", 406, error("not_acceptable", "header Accept"), { headers: { Accept: "application/json" } }),
    rule("leaves one report to be deleted", "DELETE /reports/{watched}", 204),
  ],
};

const lacks =
  (name: string): Expectation =>
  ({ headers }) => {
    if (headers[name] !== undefined) throw new Error(`${name}: ${headers[name]}`);
  };

// biome-ignore format: a table, a rule a line
export const transport: Section = {
  title: "Compression, and pages of other origins",
  rules: [
    rule("compresses large responses for clients that accept gzip", "GET /devices?page[size]=100", 200, all(header("content-encoding", "gzip"), header("vary", /Accept-Encoding/)), { headers: { "Accept-Encoding": "br, gzip" } }),
    rule("compresses nothing for clients that do not", "GET /devices?page[size]=100", 200, all(lacks("content-encoding"), header("vary", /Accept-Encoding/)), { headers: { "Accept-Encoding": "gzip;q=0, identity" } }),
    rule("compresses no small responses", "GET /devices/default", 200, lacks("content-encoding"), { headers: { "Accept-Encoding": "gzip" } }),
    rule("has a weak ETag for what may be compressed", "GET /reports/{report}", 200, all(header("content-encoding", "gzip"), header("etag", /^W\/"[^"]+"$/)), { headers: { "Accept-Encoding": "gzip" }, keep: { weak_etag: "header etag" } }),
    rule("responds with 304 to that ETag", "GET /reports/{report}", 304, header("etag", "{weak_etag}"), { headers: { "Accept-Encoding": "gzip", "If-None-Match": "{weak_etag}" } }),
    rule("lets no page of another origin read a response, unless the operator allows it", "GET /devices/default", 200, lacks("access-control-allow-origin"), { headers: { Origin: "https://elsewhere.example" } }),
    rule("answers no preflight, unless the operator allows it", "OPTIONS /reports", 204, all(header("allow", /POST/), lacks("access-control-allow-methods")), { headers: { Origin: "https://elsewhere.example", "Access-Control-Request-Method": "POST" } }),
  ],
};

// biome-ignore format: a table, a rule a line
export const limits: Section = {
  title: "Limits of API calls (Decisions; Meaning)",
  rules: [
    rule("are in the headers of every response", "GET /usage", 200, all(header("ratelimit-limit", /^\d+$/), header("ratelimit-remaining", /^\d+$/), header("ratelimit-reset", /^\d+$/))),
    rule("are in the headers of a response without credentials", "GET /usage", 401, header("ratelimit-limit", /^\d+$/), { as: "anonymous" }),
    rule("are in the headers of an error", "GET /reports/{unknown_uuid}", 404, header("ratelimit-remaining", /^\d+$/)),
  ],
};

// biome-ignore format: a table, a rule a line
export const description: Section = {
  title: "The API's own description",
  rules: [
    rule("is public as an OpenAPI document", "GET /openapi.json", 200, body({ openapi: { kind: "3.1", holds: (value: unknown) => /^3\.1\./.test(String(value)) }, info: { title: text } }), { as: "anonymous" }),
    rule("is public as a page", "GET /docs", 200, header("content-type", /^text\/html/), { as: "anonymous" }),
    rule("describes ids as responses have them", "GET /reports/{report}", 200, resource("report", {}, uuid)),
  ],
};
