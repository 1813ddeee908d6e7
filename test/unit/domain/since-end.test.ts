import { expect } from "chai";
import { settingsOfSeries } from "../../../src/domain/findings/comparing.ts";
import { stateTotals } from "../../../src/domain/findings/finding-state.ts";
import { sinceEnd, stateSinceEnd } from "../../../src/domain/findings/since-end.ts";
import { reportSpecSchema } from "../../../src/schema/report.ts";

describe("what became of a number that a run ended with", () => {
  for (const [what, now, end, expected] of [
    ["nothing", { now: 212, muted: 0 }, { now: 212, muted: 0 }, { atEnd: 212, now: 212, mutedSince: 0 }],
    ["some is muted", { now: 169, muted: 43 }, { now: 212, muted: 0 }, { atEnd: 212, now: 169, mutedSince: 43 }],
    ["more is muted than before", { now: 5, muted: 12 }, { now: 7, muted: 10 }, { atEnd: 7, now: 5, mutedSince: 2 }],
    ["a muting has ended", { now: 9, muted: 0 }, { now: 7, muted: 2 }, { atEnd: 7, now: 9, mutedSince: 0 }],
    ["more is muted than was counted", { now: 0, muted: 9 }, { now: 7, muted: 0 }, { atEnd: 7, now: 0, mutedSince: 7 }],
    ["it was not kept", { now: 3, muted: 1 }, undefined, { atEnd: 3, now: 3, mutedSince: 0 }],
  ] as const)
    it(`is said when ${what}`, () => {
      expect(sinceEnd(now, end)).to.deep.equal(expected);
    });

  it("is not told from a comparison with another run", () => {
    const counted = (fixed: number) => {
      const count = { kind: "html", state: "fixed", issue_type: "error", impact_order: null, how_many: fixed } as const;
      return { states: stateTotals([count]), muted: stateTotals([]) };
    };
    const now = { base_id: "b", ...counted(3) };
    expect(stateSinceEnd("fixed", now, { base_id: "b", ...counted(8) }).atEnd).to.equal(8);
    expect(stateSinceEnd("fixed", now, { base_id: "a", ...counted(8) }).atEnd).to.equal(3);
    expect(stateSinceEnd("fixed", now, null).atEnd).to.equal(3);
  });
});

describe("the settings of a series", () => {
  /** They change neither what is visited, nor what is found there, nor what of it counts. */
  const others = [
    ...["rateLimit", "activeDeadlineSeconds", "storeRawHtmlChecks", "storeRawA11yChecks", "storeRawLinkChecks"],
    ...[
      "storeScreenshot",
      "pageTimeoutSeconds",
      "signInSeconds",
      "signInTries",
      "gate",
      "baseId",
      "shared",
      "tags",
      "cancelled",
    ],
  ] as const;

  for (const name of others)
    it(`are those that decide what is found, and not ${name}`, () => {
      expect(reportSpecSchema.properties).to.have.property(name);
      expect(settingsOfSeries).not.to.include(name);
    });
});
