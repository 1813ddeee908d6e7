import { attributes, each, error, listing } from "../expectations.ts";
import { rule, type Section } from "../rule.ts";

/** One page with an error of WCAG and a best practice that it does not follow. */
const page = {
  starting_url: "{site}outline",
  max_pages: 1,
  deep_crawl: false,
  perform_html_checks: false,
  perform_a11y_checks: true,
};
const counts = (critical: number, moderate: number, outside_standard: number) => {
  const errors = critical + moderate;
  const severity = { critical, serious: 0, moderate, minor: 0, total: { errors, warnings: 0, total: errors } };
  return { a11y: { issues: { errors, warnings: 0, outside_standard, severity } } };
};
const made = (standard: string, keep: string) =>
  rule(`may be ${standard}`, "POST /reports", 201, attributes({ standard }), {
    attributes: { ...page, standard, gate: { max_errors: 1 } },
    keep: { [keep]: "data.id" },
  });

// biome-ignore format: a table, a rule a line
export const standards: Section = {
  title: "The standard of a report",
  rules: [
    rule("is every rule by default", "GET /reports/{report}", 200, attributes({ standard: "all", checks: { a11y: { issues: { outside_standard: 0 } } } })),
    made("wcag22aa", "by_wcag"),
    made("all", "by_all"),
    rule("chooses what is an error, and counts the rest apart", "GET /reports/{by_wcag}", 200, attributes({ phase: "Complete", checks: counts(1, 0, 1), passed: true }), { eventually: true }),
    rule("may make every rule one", "GET /reports/{by_all}", 200, attributes({ phase: "Complete", checks: counts(1, 1, 0), passed: false }), { eventually: true }),
    rule("counts the rest of a page apart, too", "GET /reports/{by_wcag}/web_pages", 200, each("web_page", { a11y_check: { errors: 1, outside_standard: 1 } })),
    rule("keeps what is outside", "GET /reports/{by_wcag}/common_a11y_issues", 200, listing("rule", "image-alt", "heading-order")),
    rule("says of each issue whether it is outside", "GET /reports/{by_wcag}/common_a11y_issues", 200, listing("outside_standard", false, true)),
    rule("leaves nothing outside when every rule counts", "GET /reports/{by_all}/common_a11y_issues", 200, listing("outside_standard", false, false)),
    rule("refuses one that is unknown", "POST /reports", 422, error("not_allowed", "/data/attributes/standard"), { attributes: { ...page, standard: "wcag3" } }),
    rule("may belong to a schedule", "POST /schedules", 201, attributes({ standard: "en301549" }), { attributes: { ...page, periodicity: { every: "deploy" }, standard: "en301549" }, keep: { by_schedule: "data.id" } }),
    ...["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "all"].map((standard) => rule(`of a schedule may become ${standard}`, "PATCH /schedules/{by_schedule}", 200, attributes({ standard }), { attributes: { standard } })),
    rule("of a schedule may change", "PATCH /schedules/{by_schedule}", 200, attributes({ standard: "section508" }), { attributes: { standard: "section508" } }),
    rule("of a schedule can be undone", "DELETE /schedules/{by_schedule}", 204),
  ],
};
