import { attributes, body, error, errorsAt } from "../expectations.ts";
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
    keeps("refuses tags", { tags: "new" }, "tags", "shared"),
    keeps("refuses any other attribute besides shared", { shared: true, max_pages: 3 }, "max_pages"),
    keeps("refuses empty attributes", {}, "shared"),
    keeps("refuses a string for shared", { shared: "true" }, "shared"),
    keeps("refuses null for shared", { shared: null }, "shared"),
    rule("changes nothing when it is refused", "GET /reports/{spare}", 200, attributes({ shared: false, max_pages: 10, tags: [] })),
    rule("names what is missing", "PATCH /reports/{spare}", 422, body({ errors: [{ code: "required", detail: "shared is required: true or false.", source: { pointer: "/data/attributes/shared" } }] }), { attributes: {} }),
    rule("refuses the id of another report", "PATCH /reports/{spare}", 409, error("wrong_id", "/data/id"), { body: '{"data":{"id":"{report}","attributes":{"shared":true}}}' }),
    rule('needs the scope "write"', "PATCH /reports/{spare}", 403, error("insufficient_scope"), { as: "reader", attributes: { shared: true } }),
    rule("is not possible for another account", "PATCH /reports/{spare}", 404, error("not_found"), { as: "stranger", attributes: { shared: true } }),
    rule("does not delete another account's report", "DELETE /reports/{spare}", 404, error("not_found"), { as: "stranger" }),
    rule("does not delete a report with a read-only token", "DELETE /reports/{spare}", 403, error("insufficient_scope"), { as: "reader" }),
    rule("deletes a report that has ended", "DELETE /reports/{created}", 204),
  ],
};
