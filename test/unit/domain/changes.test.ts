import { expect } from "chai";
import { givenUpCrawl } from "../../../src/domain/failure.ts";
import { changeByRemoval, changeByRequeue, isPending } from "../../../src/domain/findings/check-counts.ts";
import { changeOfMuting, mutingsByPage, tooManyMutings } from "../../../src/domain/findings/muting.ts";
import { type CountedIssue, withinLimit } from "../../../src/domain/findings/recount.ts";
import { emptyTally } from "../../../src/domain/findings/tally.ts";
import { followResource } from "../../../src/domain/schedules/follow-resource.ts";
import { API_VERSION, type ScheduleResource } from "../../../src/schema/resources.ts";
import { validateScheduleSpec } from "../../../src/schema/validate-spec.ts";

describe("a crawl that is given up", () => {
  const failure = { code: "crawler_crashed", detail: "It died." } as const;
  const none = { failureCode: null, failureDetail: null };

  it("has ended if there are pages, and says that others are missing", () => {
    const known = { failureCode: "timeout", failureDetail: "Slow." } as const;
    expect(givenUpCrawl({ ...known, hasPages: true }, failure)).to.deep.equal({
      state: "ended",
      failure: { code: "crawler_crashed", detail: "The crawl was cut short: pages are missing. It died." },
    });
  });
  it("has failed without pages, for the reason that was known first", () => {
    expect(givenUpCrawl({ ...none, hasPages: false }, failure)).to.deep.equal({ state: "failed", failure });
    const known = { failureCode: "timeout", failureDetail: "Slow." } as const;
    expect(givenUpCrawl({ ...known, hasPages: false }, failure)).to.deep.equal({
      state: "failed",
      failure: { code: "timeout", detail: "Slow." },
    });
  });
});

describe("the counts of a report", () => {
  it("move checks that are queued again, and keep their findings", () => {
    const checks = [
      { kind: "html", status: "checked", reused: true },
      { kind: "a11y", status: "failed", reused: false },
    ] as const;
    expect(changeByRequeue(checks)).to.deep.equal({
      html: { checked: -1, pending: 1, reused: -1 },
      a11y: { failed: -1, pending: 1 },
    });
    expect(checks.map(isPending)).to.deep.equal([false, false]);
    expect(isPending({ status: "leased" })).to.equal(true);
  });
  it("lose what was found on a page that is removed", () => {
    const check = { ...emptyTally(), kind: "html", status: "leased", reused: false, errors: 2, warnings: 1 } as const;
    const { html } = changeByRemoval([check]);
    expect(html).to.deep.include({ pending: -1, errors: -2, warnings: -1 });
  });
});

describe("the mutings of an owner", () => {
  it("are limited, and those with selectors more so", () => {
    expect(tooManyMutings({ mutings: 999, selectors: 99 }, { mutings: 1, selectors: 1 })).to.equal(undefined);
    expect(tooManyMutings({ mutings: 1_000, selectors: 0 }, { mutings: 1, selectors: 0 })).to.deep.equal({
      tooMany: "1,000 mutings",
    });
    expect(tooManyMutings({ mutings: 1_000, selectors: 100 }, { mutings: 0, selectors: 1 })).to.deep.equal({
      tooMany: "100 mutings with a selector",
    });
    expect(tooManyMutings({ mutings: 1_000, selectors: 100 }, { mutings: 0, selectors: 0 })).to.equal(undefined);
  });
  it("silence something else when a criterion or the end changes, and not when a comment does", () => {
    const ends = new Date("2026-01-01");
    const before = { criteria: { rule: "a" }, expiresAt: ends, expired: true };
    expect(changeOfMuting(before, before)).to.deep.equal({ expired: true, silencesOther: false });
    expect(changeOfMuting(before, { ...before, expiresAt: null })).to.deep.equal({
      expired: false,
      silencesOther: true,
    });
    expect(changeOfMuting(before, { ...before, criteria: { rule: "b" } })).to.deep.equal({
      expired: true,
      silencesOther: true,
    });
  });
});

describe("a recount", () => {
  const check = (id: string) => ({ ...emptyTally(), id, url: `https://a/${id}` });
  const issue = (checkId: string, howMany: number): CountedIssue => ({
    ...{ id: `i${checkId}`, checkId, commonId: "c", text: "Obsolete", rule: "obsolete", howMany, mutedCount: 0 },
    ...{ counts: "errors", severity: null, mutingId: null },
  });
  const single = mutingsByPage([{ id: "7", fingerprint: "f" }]);

  it("takes at once as many checks as fit, but always one", () => {
    const checks = ["1", "2", "3"].map(check);
    const issues = [issue("1", 15_000), issue("2", 6_000), issue("3", 1)];
    const taken = withinLimit(checks, issues, single, 1);
    expect(taken.checks.map(({ id }) => id)).to.deep.equal(["1"]);
    expect(taken.issues.map(({ id }) => id)).to.deep.equal(["i1"]);
    expect(taken.dependent).to.deep.equal(["i1"]);
    expect(withinLimit(checks, [issue("1", 50_000)], single, 1).checks.map(({ id }) => id)).to.deep.equal(["1"]);
  });
  it("takes fewer the more mutings there are", () => {
    const checks = ["1", "2"].map(check);
    const issues = [issue("1", 1_500), issue("2", 600)];
    expect(withinLimit(checks, issues, single, 100).checks).to.have.length(2);
    expect(withinLimit(checks, issues, single, 1_000).checks).to.have.length(1);
  });
  it("does not look at the findings of issues of which no muting silences a part", () => {
    const { dependent, checks } = withinLimit(["1", "2"].map(check), [issue("1", 50_000)], mutingsByPage([]), 0);
    expect(dependent).to.deep.equal([]);
    expect(checks).to.have.length(2);
  });
});

describe("the row of a Schedule", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  const specOf = (changes: object) => {
    const { spec } = validateScheduleSpec({
      startingUrl: "https://a/",
      periodicity: { every: "day", at: "03:00" },
      ...changes,
    });
    if (!spec) throw new Error("The spec is not valid.");
    return spec;
  };
  const resource = (generation: number, changes: object = {}, uid = "u1"): ScheduleResource => ({
    apiVersion: API_VERSION,
    kind: "Schedule",
    metadata: {
      ...{ name: "s", namespace: "default", uid, resourceVersion: "1", generation },
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: specOf(changes),
  });
  const row = { id: "u1", uid: "u1", generation: "2", spec: specOf({}), active: true };
  const next = new Date("2026-03-02T03:00:00Z");

  it("stays for the generation that it has, and for an earlier one", () => {
    expect(followResource(row, resource(2), now, undefined)).to.equal(undefined);
    expect(followResource(row, resource(1, { tags: ["old"] }), now, undefined)).to.equal(undefined);
  });
  it("follows a newer one, and plans the next run again only if the times or `active` change", () => {
    const tags = resource(3, { tags: ["new"] });
    expect(followResource(row, tags, now, undefined)).to.deep.equal({ isRestored: false, nextRunAt: undefined });
    const times = resource(3, { periodicity: { every: "day", at: "05:00" } });
    expect(followResource(row, times, now, undefined)?.nextRunAt).to.deep.equal(new Date("2026-03-02T05:00:00Z"));
    expect(followResource(row, resource(3, { active: false }), now, undefined)?.nextRunAt).to.equal(null);
    expect(followResource({ ...row, active: false }, resource(3), now, undefined)?.nextRunAt).to.deep.equal(next);
  });
  it("follows a cluster that was restored: another resource, another definition, or one that is known to be earlier", () => {
    expect(followResource(row, resource(1, {}, "u2"), now, undefined)).to.deep.equal({
      isRestored: true,
      nextRunAt: next,
    });
    expect(followResource(row, resource(2, { tags: ["other"] }), now, undefined)?.isRestored).to.equal(false);
    expect(followResource(row, resource(1, { tags: ["old"] }), now, row)?.isRestored).to.equal(false);
    const changedSince = { ...row, generation: "3" };
    expect(followResource(changedSince, resource(1, { tags: ["old"] }), now, row)).to.equal(undefined);
  });
});
