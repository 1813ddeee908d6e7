import { expect } from "chai";
import { specAttributes } from "../../../src/api/resources/spec-attributes.ts";
import { readConfigData } from "../../../src/cli/check/options/config-data.ts";
import { checkOptions } from "../../../src/cli/check/options/options.ts";
import { type OptionName, options } from "../../../src/cli/check/options/options-schema.ts";
import { reportAttributes } from "../../../src/cli/check/request.ts";
import { snakeCase } from "../../../src/schema/api-names.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { reportSpecSchema } from "../../../src/schema/report.ts";
import { scheduleSpecSchema } from "../../../src/schema/schedule.ts";
import { parseReport } from "../../../src/schema/validate.ts";
import { validateReportSpec, validateScheduleSpec } from "../../../src/schema/validate-spec.ts";
import { rows, type SettingName } from "../../../src/settings/index.ts";
import { inOrder, type Setting } from "../../../src/settings/setting.ts";
import { crawlAttributes } from "../../../src/web/parts/crawl-form/attributes.ts";
import { valuesOf } from "../../../src/web/parts/crawl-form/values.ts";
import { anotherThanDefault } from "../../support/settings.ts";

/** What some settings require: pages in a browser, and accessibility checks. */
const needed = { startingUrl: "https://example.com/", performA11yChecks: true, dynamicCrawler: true };
const limits = { maxPages: 0, maxRateLimit: 0, htmlEngines };

/** A value with the API's names for the members of an object. */
function inApi(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [snakeCase(name), one]));
}

/** The same, with lists of texts as lists, however they are written. */
function listed(value: unknown, { list, schema }: Setting): unknown {
  return schema.items && typeof value === "string" ? value.split(list === "commas" ? ", " : "\n") : value;
}

for (const { name, setting } of rows) {
  const attribute = snakeCase(name);
  const value = anotherThanDefault(setting);
  const spec = { ...needed, [name]: value };

  describe(`the setting ${name}`, () => {
    it("has a value that is allowed in a resource, and is another than its default", () => {
      expect(validateReportSpec(spec).problems).to.equal(undefined);
      expect(value).not.to.deep.equal(setting.schema.default);
      const { schedule } = setting;
      const periodicity = { every: "day" };
      const faults = validateScheduleSpec({ ...spec, periodicity }).problems?.map(({ field }) => field);
      expect(faults).to.deep.equal(schedule === false ? [`spec.${name}`] : undefined);
    });

    it("has its own default in reports, and in schedules", () => {
      const defaults = (schema: { properties: object }) =>
        (schema.properties as Record<string, { default?: unknown } | undefined>)[name]?.default;
      expect(defaults(reportSpecSchema)).to.deep.equal(setting.schema.default);
      const ofSchedule = setting.schedule ? setting.schedule.default : setting.schema.default;
      expect(defaults(scheduleSpecSchema)).to.deep.equal(setting.schedule === false ? undefined : ofSchedule);
    });

    it("is set by requests, and is in responses, unless callers may not do this", () => {
      const given = Object.entries(spec).map(([key, one]) => [snakeCase(key), inApi(one)]);
      const parsed = parseReport(Object.fromEntries(given), limits);
      if (setting.access?.create === false) {
        expect(parsed).to.have.nested.property("violations[0].code", "unknown_attribute");
        return;
      }
      const stored = "spec" in parsed ? parsed.spec : undefined;
      expect(parsed)
        .to.have.property("spec")
        .that.deep.includes({ [name]: value });
      const sent = stored && specAttributes(reportSpecSchema, stored);
      if (setting.access?.read === false) expect(sent).not.to.have.property(attribute);
      else expect(sent).to.deep.include({ [attribute]: inApi(value) });
    });

    const option = options.find(({ path }) => path?.length === 1 && path[0] === name)?.name;
    // The command finds a device by its name, and the standard belongs to checks that have one.
    if (option !== undefined && name !== "devices")
      it(`is the option ${option}, which a configuration may have, and which the command sends`, () => {
        const config = readConfigData("file", { value: { targets: ["https://example.com/"], [option]: value } });
        expect(config[option as OptionName]).to.deep.equal(value);
        const others = { a11y: true, dynamic: true };
        const sent = reportAttributes(checkOptions({ ...others, ...config }), ["https://example.com/"], {
          deviceId: "",
        });
        expect(sent).to.deep.include({ [attribute]: value });
      });

    if (setting.form || setting.members)
      it("is in the form, and is read from it as it stands there", () => {
        const filled = valuesOf({ device_id: "", [attribute]: inApi(value) });
        const fields = new URLSearchParams(
          Object.entries(filled).flatMap(([field, text]) => (text && text !== "false" ? [[field, text]] : [])),
        );
        if (filled.device_id === "") fields.set("device_id", "");
        const read = crawlAttributes(fields)[attribute];
        expect(listed(read, setting)).to.deep.equal(inApi(value));
      });
  });
}

describe("the order of settings", () => {
  it("is that of the table, but for what names another one that it follows", () => {
    const names = (...list: [SettingName | string, string?][]) =>
      inOrder(list.map(([name, after]) => ({ name, after })));
    expect(names(["a"], ["b"], ["c"])).to.deep.equal(["a", "b", "c"]);
    expect(names(["a"], ["b", ""], ["c"], ["d", "a"], ["e", "d"])).to.deep.equal(["b", "a", "d", "e", "c"]);
    expect(() => names(["a"], ["b", "x"])).to.throw("b follows x, which is not in the same list of settings.");
    expect(() => names(["a", "b"], ["b", "a"])).to.throw("a follows b");
  });
});
