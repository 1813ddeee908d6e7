import { attributes, error, positive } from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

/** One page with an HTML error, as an address of its own: the first report of a gated one has none before it. */
const page = { starting_url: "{site}about#{run}", max_pages: 1, deep_crawl: false };
const gate = { max_errors: 0, max_new_errors: 0, fail_on_failed_pages: true };
const failed = { condition: "max_errors", limit: 0, counted: 1, passed: false, reason: null };
const allPages = { condition: "fail_on_failed_pages", limit: 0, counted: 0, passed: true, reason: null };
const fewNew = { condition: "max_new_errors", limit: 0, counted: 0, passed: true, reason: null };
const notJudged = { ...fewNew, counted: null, passed: null, reason: "no_base" };
const nothing = (result: object) => ({ ...result, counted: null, passed: null, reason: "nothing_checked" });
const daily = { starting_url: "{site}about", periodicity: { every: "deploy" } };
const wrong = (name: string, given: unknown, code: string, attribute: string) =>
  rule(name, "POST /reports", 422, error(code, `/data/attributes/${attribute}`), {
    attributes: { ...page, gate: given },
  });

// biome-ignore format: a table, a rule a line
export const gates: Section = {
  title: "A report with a gate",
  rules: [
    rule("shows its conditions, and is not judged before its end", "POST /reports", 201, attributes({ gate, passed: null, gate_results: null }), { attributes: { ...page, gate }, keep: { gated: "data.id" } }),
    rule("is judged at its end, but for what is new in a first run", "GET /reports/{gated}", 200, attributes({ phase: "Complete", passed: false, gate_results: [failed, notJudged, allPages] }), { eventually: true }),
    rule("may ask only for what is new", "POST /reports", 201, attributes({ gate: { max_new_errors: 0 } }), { attributes: { ...page, gate: { max_new_errors: 0 } }, keep: { gated_again: "data.id" } }),
    rule("passes when nothing is new since the report before it", "GET /reports/{gated_again}", 200, attributes({ phase: "Complete", passed: true, gate_results: [fewNew], comparison: { base_id: "{gated}" } }), { eventually: true }),
    rule("may be on a site that cannot be checked", "POST /reports", 201, attributes({ gate }), { attributes: { ...page, starting_url: "{site}missing", gate }, keep: { gated_nowhere: "data.id" } }),
    rule("does not pass when nothing was checked", "GET /reports/{gated_nowhere}", 200, attributes({ phase: "Failed", passed: false, gate_results: [nothing(failed), nothing(notJudged), nothing(allPages)] }), { eventually: true }),
    rule("may require that nothing is left out", "POST /reports", 201, attributes({ gate: { require_complete: true }, coverage: null }), { attributes: { starting_url: "{site}", max_pages: 1, gate: { require_complete: true } }, keep: { gated_whole: "data.id" } }),
    rule("does not pass at the limit of pages, and says so", "GET /reports/{gated_whole}", 200, attributes({ phase: "Complete", passed: false, gate_results: [{ condition: "require_complete", limit: 0, counted: positive, passed: false, reason: null }], coverage: { complete: false, pages: { found: 1, checked: 1, failed: 0, left_out: { page_limit: positive } } } }), { eventually: true }),
    rule("has no gate unless it is given", "GET /reports/{report}", 200, attributes({ gate: null, passed: null, gate_results: null })),
    rule("accepts null for none", "POST /reports", 201, attributes({ gate: null }), { attributes: { ...page, gate: null }, keep: { gateless: "data.id" } }),
    rule("without one can be undone at once", "DELETE /reports/{gateless}", 204),
    wrong("refuses a gate that is not an object", "strict", "invalid_type", "gate"),
    wrong("refuses an unknown condition", { max_issues: 1 }, "unknown_attribute", "gate/max_issues"),
    wrong("refuses a condition by its name in resources", { maxErrors: 1 }, "unknown_attribute", "gate/maxErrors"),
    wrong("refuses a negative limit", { max_errors: -1 }, "out_of_range", "gate/max_errors"),
    wrong("refuses an unknown impact", { max_errors: 1, min_impact: "huge" }, "not_allowed", "gate/min_impact"),
    wrong("refuses an impact without accessibility checks", { max_errors: 1, min_impact: "minor" }, "inconsistent", "gate/min_impact"),
    rule("may belong to a schedule", "POST /schedules", 201, attributes({ gate }), { attributes: { ...daily, gate }, keep: { gated_schedule: "data.id", gated_hook: "data.attributes.deploy_hook_url" } }),
    rule("has the gate of its schedule", "POST {gated_hook}", 202, attributes({ gate }), { as: "anonymous" }),
    rule("of a schedule may be changed as a whole", "PATCH /schedules/{gated_schedule}", 200, attributes({ gate: { max_warnings: 3 } }), { attributes: { gate: { max_warnings: 3 } } }),
    rule("of a schedule may be removed", "PATCH /schedules/{gated_schedule}", 200, attributes({ gate: null }), { attributes: { gate: null } }),
    rule("of a schedule can be undone", "DELETE /schedules/{gated_schedule}", 204),
  ],
};
