import { attributes, error, errorsAt } from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

const keeps = (name: string, given: Record<string, unknown>, ...pointers: string[]) =>
  rule(name, "PATCH /reports/{spare}", 422, errorsAt(...pointers.map((at) => `/data/attributes/${at}`)), {
    attributes: given,
  });

// biome-ignore format: a table, a rule a line
export const changeReport: Section = {
  title: "Changing and deleting a report (Endpoints; Reports)",
  rules: [
    rule("deletes it, even while it runs", "DELETE /reports/{full}", 204),
    rule("leaves nothing behind a deletion", "GET /reports/{full}", 404, error("not_found")),
    rule("deletes it with all its lists", "GET /reports/{full}/web_pages", 404, error("not_found")),
    rule("deletes once", "DELETE /reports/{full}", 404, error("not_found")),
    rule("shares it", "PATCH /reports/{spare}", 200, attributes({ shared: true }), { attributes: { shared: true } }),
    rule("ends the sharing", "PATCH /reports/{spare}", 200, attributes({ shared: false }), { attributes: { shared: false } }),
    rule("may repeat type and id", "PATCH /reports/{spare}", 200, undefined, { body: '{"data":{"type":"report","id":"{spare}","attributes":{"shared":false}}}' }),
    keeps("refuses tags", { tags: "new" }, "tags", "shared"),
    keeps("refuses another attribute besides shared", { shared: true, max_pages: 3 }, "max_pages"),
    keeps("refuses nothing at all", {}, "shared"),
    keeps("refuses shared as text", { shared: "true" }, "shared"),
    keeps("refuses null", { shared: null }, "shared"),
    rule("changed nothing when it was refused", "GET /reports/{spare}", 200, attributes({ shared: false, max_pages: 10, tags: [] })),
    rule("refuses the id of another report", "PATCH /reports/{spare}", 409, error("wrong_id", "/data/id"), { body: '{"data":{"id":"{report}","attributes":{"shared":true}}}' }),
    rule("needs the scope write", "PATCH /reports/{spare}", 403, error("insufficient_scope"), { as: "reader", attributes: { shared: true } }),
    rule("is for its owner: another account does not find it", "PATCH /reports/{spare}", 404, error("not_found"), { as: "stranger", attributes: { shared: true } }),
    rule("deletes only its own account's", "DELETE /reports/{spare}", 404, error("not_found"), { as: "stranger" }),
    rule("deletes not with a token for reading", "DELETE /reports/{spare}", 403, error("insufficient_scope"), { as: "reader" }),
    rule("deletes one that has ended", "DELETE /reports/{created}", 204),
  ],
};
