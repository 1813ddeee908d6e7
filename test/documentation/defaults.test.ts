import { readFileSync } from "node:fs";
import { expect } from "chai";
import { reportAttributes } from "../../src/cli/check/request.ts";
import { snakeCase } from "../../src/schema/api-names.ts";
import { reportSpecSchema } from "../../src/schema/report.ts";
import { scheduleSpecSchema } from "../../src/schema/schedule.ts";
import { defaultValues } from "../../src/web/parts/crawl-form/values.ts";
import { optionsOf } from "../support/cli.ts";

const page = readFileSync(new URL("../../docs/check.md", import.meta.url), "utf8");
const [, section = ""] = page.split("\n## Defaults\n");
const documented = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(.*)$/gm)].map(([row]) => row);

const defaultsOf = (schema: { properties: object }): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, property]: [string, { default?: unknown }]) =>
      property.default === undefined ? [] : [[snakeCase(name), property.default]],
    ),
  );

describe("The table of defaults in docs/check.md", () => {
  it("has every setting by which API, pages and command begin differently, and no other", () => {
    const report = defaultsOf(reportSpecSchema);
    const schedule = defaultsOf(scheduleSpecSchema);
    // The standard is sent only with the checks that have one, and the rate limit only if it is given.
    const options = optionsOf("https://example.com/", "--a11y");
    const check = {
      ...report,
      ...reportAttributes(options, options.targets, { deviceId: "" }),
      perform_a11y_checks: optionsOf("https://example.com/").a11y,
    } as Record<string, unknown>;
    const rows = Object.keys(report).flatMap((name) => {
      const ofForms = defaultValues[name] === "" ? "false" : defaultValues[name];
      const values = [report[name], schedule[name], ofForms, check[name]].map(String);
      // Lists, and what is no setting of a crawl, are the same everywhere.
      if (typeof report[name] === "object" || report[name] === "" || !(name in schedule)) return [];
      return new Set(values).size === 1 ? [] : [`| \`${name}\` | ${values.join(" | ")} |`];
    });
    expect(rows).to.include("| `max_pages` | 10 | 100 | 100 | 10 |");
    expect([...documented].sort()).to.deep.equal(rows.sort());
  });
});
