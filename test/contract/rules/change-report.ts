import { attributes, body, error, errorsAt, text } from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const keeps = (name: string, given: Record<string, unknown>, ...pointers: string[]) =>
  rule(name, "PATCH /reports/{spare}", 422, errorsAt(...pointers.map((at) => `/data/attributes/${at}`)), {
    attributes: given,
  });

// biome-ignore format: a table, a rule a line
export const changeReport: Section = {
  title: "Changing and deleting a report (Endpoints; Reports)",
  rules: [
    rule("deletes a report, even while it runs", "DELETE /reports/{full}", 204),
    rule("leaves nothing of a deleted report", "GET /reports/{full}", 404, error("not_found")),
    rule("deletes the report's lists, too", "GET /reports/{full}/web_pages", 404, error("not_found")),
    rule("is not possible for a deleted report", "DELETE /reports/{full}", 404, error("not_found")),
    rule("can share the report", "PATCH /reports/{spare}", 200, attributes({ shared: true }), { attributes: { shared: true } }),
    rule("can stop sharing it", "PATCH /reports/{spare}", 200, attributes({ shared: false }), { attributes: { shared: false } }),
    rule("may repeat type and id", "PATCH /reports/{spare}", 200, undefined, { body: '{"data":{"type":"report","id":"{spare}","attributes":{"shared":false}}}' }),
    keeps("refuses tags", { tags: "new" }, "tags"),
    keeps("refuses any other attribute besides shared and cancelled", { shared: true, max_pages: 3 }, "max_pages"),
    keeps("refuses empty attributes", {}, "shared"),
    keeps("refuses a string for shared", { shared: "true" }, "shared"),
    keeps("refuses null for shared", { shared: null }, "shared"),
    keeps("refuses to take back that it is cancelled", { cancelled: false }, "cancelled"),
    keeps("refuses a string for cancelled", { cancelled: "true" }, "cancelled"),
    keeps("refuses null for cancelled, and says all that is wrong at once", { cancelled: null, shared: 1, max_pages: 3 }, "max_pages", "shared", "cancelled"),
    rule("changes nothing when it is refused", "GET /reports/{spare}", 200, attributes({ shared: false, cancelled: false, max_pages: 10, tags: [] })),
    rule("names what is missing", "PATCH /reports/{spare}", 422, body({ errors: [{ code: "required", detail: "shared (true or false) or cancelled (true) is required.", source: { pointer: "/data/attributes/shared" } }] }), { attributes: {} }),
    rule("refuses the id of another report", "PATCH /reports/{spare}", 409, error("wrong_id", "/data/id"), { body: '{"data":{"id":"{report}","attributes":{"shared":true}}}' }),
    rule('needs the scope "write"', "PATCH /reports/{spare}", 403, error("insufficient_scope"), { as: "reader", attributes: { shared: true } }),
    rule("is not possible for another account", "PATCH /reports/{spare}", 404, error("not_found"), { as: "stranger", attributes: { shared: true } }),
    rule('needs the scope "write" to cancel', "PATCH /reports/{spare}", 403, error("insufficient_scope"), { as: "reader", attributes: { cancelled: true } }),
    rule("is not cancelled by another account", "PATCH /reports/{spare}", 404, error("not_found"), { as: "stranger", attributes: { cancelled: true } }),
    rule("is not cancelled once it has ended", "PATCH /reports/{report}", 409, error("report_ended"), { attributes: { cancelled: true } }),
    rule("is not cancelled once it has ended, which says so", "GET /reports/{report}", 200, attributes({ cancelled: false })),
    rule("begins a report that takes a while", "POST /reports", 201, attributes({ cancelled: false }), { attributes: { starting_url: "{site}", max_pages: 10, rate_limit: 1 }, keep: { cancelled: "data.id" } }),
    rule("cancels it", "PATCH /reports/{cancelled}", 200, attributes({ cancelled: true, shared: false }), { attributes: { cancelled: true } }),
    rule("ends it with what it has, and says so", "GET /reports/{cancelled}", 200, attributes({ cancelled: true, failure: { code: "cancelled", detail: text } }), { eventually: true }),
    rule("cancels it once, however often it is asked for", "PATCH /reports/{cancelled}", 200, attributes({ cancelled: true }), { attributes: { cancelled: true } }),
    rule("does not delete another account's report", "DELETE /reports/{spare}", 404, error("not_found"), { as: "stranger" }),
    rule("does not delete a report with a read-only token", "DELETE /reports/{spare}", 403, error("insufficient_scope"), { as: "reader" }),
    rule("deletes a report that has ended", "DELETE /reports/{created}", 204),
  ],
};
