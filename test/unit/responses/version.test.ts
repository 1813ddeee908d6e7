import { expect } from "chai";
import { matchesEtag, versionOf } from "../../../src/responses/version.ts";

describe("the version of a document", () => {
  it("is another one for another text or media type", () => {
    const versions = [versionOf("a", "text/html"), versionOf("b", "text/html"), versionOf("a", "text/plain")];
    expect(new Set(versions)).to.have.length(3);
    expect(versionOf("a", "text/html")).to.equal(versions[0]);
    // The type and the text are told apart.
    expect(versionOf("nb", "a")).not.to.equal(versionOf("b", "an"));
  });

  for (const [known, isCurrent] of [
    ['"current"', true],
    ['W/"current"', true],
    ['"other", W/"current" ', true],
    ["*", true],
    [" * ", true],
    ['"other"', false],
    ['"current" "other"', false],
    ["current", false],
    ["", false],
  ] as const)
    it(`is ${isCurrent ? "" : "not "}named by If-None-Match: ${known || "(empty)"}`, () => {
      expect(matchesEtag(known, '"current"')).to.equal(isCurrent);
    });
});
