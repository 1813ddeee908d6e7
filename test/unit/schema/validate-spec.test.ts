import { expect } from "chai";
import { statusProblems, validateReportSpec, validateScheduleSpec } from "../../../src/schema/validate-spec.ts";
import { reportSpec } from "../../support/builders.ts";
import { scheduleSpec } from "../../support/schedules.ts";

const CLICK = [{ type: "click", selector: "#menu" }];

describe("validateReportSpec", () => {
  it("fills in defaults, and does not change its argument", () => {
    const input = { startingUrl: "https://example.com/" };
    expect(validateReportSpec(input).spec).to.deep.equal(reportSpec());
    expect(input).to.deep.equal({ startingUrl: "https://example.com/" });
  });

  const wrong: [string, unknown, string[]][] = [
    ["nothing at all", undefined, ["spec"]],
    ["no starting URL", {}, ["spec.startingUrl"]],
    ["a URL with a password", { startingUrl: "https://me:secret@example.com/" }, ["spec.startingUrl"]],
    ["an unknown field", { ...reportSpec(), colour: "red" }, ["spec.colour"]],
    ["several at once", { ...reportSpec(), maxPages: -1, tags: ["a,b"] }, ["spec.maxPages", "spec.tags.0"]],
    ["no engine", { ...reportSpec(), performHtmlChecks: false }, ["spec.performHtmlChecks"]],
    [
      "incomplete results without a11y",
      { ...reportSpec(), storeIncompleteChecks: true },
      ["spec.storeIncompleteChecks"],
    ],
    ["acting without a11y", { ...reportSpec(), a11yDepth: "acting" }, ["spec.a11yDepth"]],
    ["two kinds of credentials", { ...reportSpec(), basicAuthId: "a", basicAuthSecret: "b" }, ["spec.basicAuthId"]],
    ["an unknown condition", { ...reportSpec(), gate: { max_errors: 1 } }, ["spec.gate.max_errors"]],
    ["an impact of HTML", { ...reportSpec(), gate: { minImpact: "minor", maxErrors: 1 } }, ["spec.gate"]],
    [
      "what is hidden by no selector",
      { ...reportSpec(), performA11yChecks: true, hide: [".a", "a["] },
      ["spec.hide.1"],
    ],
    [
      "two states of one name",
      {
        ...reportSpec(),
        performA11yChecks: true,
        states: [
          { name: "a", steps: CLICK },
          { name: "a", steps: CLICK },
        ],
      },
      ["spec.states.1.name"],
    ],
    ["an invalid name of a Secret", { ...reportSpec(), basicAuthSecret: "Not_one" }, ["spec.basicAuthSecret"]],
  ];
  for (const [name, input, fields] of wrong) {
    it(`names the fields: ${name}`, () => {
      expect(validateReportSpec(input).problems?.map(({ field }) => field)).to.deep.equal(fields);
    });
  }

  it("wants an address in a Secret, and those of mail in the Schedule", () => {
    const one = { name: "a", events: ["issues.new"] };
    const fields = (notification: object) =>
      validateScheduleSpec({ ...scheduleSpec(), notifications: [{ ...one, ...notification }] }).problems?.map(
        ({ field }) => field,
      );
    expect(fields({ kind: "mail", mailAddresses: ["ada@example.com"] })).to.equal(undefined);
    expect(fields({ kind: "slack", secret: "channel" })).to.equal(undefined);
    for (const wrong of [
      { kind: "mail" },
      { kind: "mail", mailAddresses: [] },
      { kind: "mail", mailAddresses: ["ada@example.com"], secret: "channel" },
      { kind: "webhook" },
      { kind: "teams", secret: "channel", mailAddresses: ["ada@example.com"] },
    ])
      expect(fields(wrong), JSON.stringify(wrong)).to.deep.equal(["spec.notifications"]);
    expect(fields({ kind: "mail", mailAddresses: ["ada@example.com\nBcc: b@example.com"] })).to.deep.equal([
      "spec.notifications.0.mailAddresses.0",
    ]);
  });

  it("lets shared, tags and cancelled change, and nothing else", () => {
    const before = reportSpec();
    expect(validateReportSpec({ ...before, shared: true, tags: ["new"] }, before).spec?.tags).to.deep.equal(["new"]);
    const changed = validateReportSpec({ ...before, maxPages: 11, exclusions: ["x"] }, before);
    expect(changed.problems?.map(({ field }) => field)).to.have.members(["spec.maxPages", "spec.exclusions"]);
    const gate = { maxErrors: 1, maxWarnings: 2 };
    expect(
      validateReportSpec({ ...before, gate: { ...gate, maxErrors: 5 } }, { ...before, gate }).problems,
    ).to.have.length(1);
    const reordered = { maxWarnings: 2, maxErrors: 1 };
    expect(validateReportSpec({ ...before, gate: reordered }, { ...before, gate }).problems).to.equal(undefined);
  });

  it("lets a report be cancelled, and not go on afterwards", () => {
    const before = reportSpec();
    const { cancelled: _, ...old } = before;
    const cancelled = { ...before, cancelled: true };
    for (const previous of [before, cancelled])
      expect(validateReportSpec(cancelled, previous).spec?.cancelled).to.equal(true);
    for (const next of [before, old])
      expect(validateReportSpec(next, cancelled).problems?.map(({ field }) => field)).to.deep.equal(["spec.cancelled"]);
    expect(validateReportSpec(old, before).spec?.cancelled).to.equal(false);
  });
});

describe("validateScheduleSpec", () => {
  const schedule = { startingUrl: "https://example.com/", periodicity: { every: "week", weekday: "friday" } };

  it("has defaults of its own", () => {
    expect(validateScheduleSpec(schedule).spec).to.deep.include({ maxPages: 100, rateLimit: 5, active: true });
  });

  it("knows which day belongs to which period", () => {
    const wrong = { ...schedule, periodicity: { every: "day", weekday: "friday" } };
    expect(validateScheduleSpec(wrong).problems?.[0]?.field).to.equal("spec.periodicity");
  });
});

describe("statusProblems", () => {
  it("finds none in an empty status, and names what is wrong in another", () => {
    expect(statusProblems("Report", {})).to.deep.equal([]);
    expect(statusProblems("Report", { phase: "Sleeping" })[0]?.field).to.equal("status.phase");
    expect(statusProblems("Schedule", { lastRunTime: "yesterday" })[0]?.field).to.equal("status.lastRunTime");
  });
});
