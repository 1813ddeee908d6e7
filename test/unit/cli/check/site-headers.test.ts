import { expect } from "chai";
import { siteHeaders, variablesOf } from "../../../../src/cli/check/options/site-headers.ts";
import { UsageError } from "../../../../src/domain/errors.ts";

const environment = { TOKEN: "t0ken", SESSION: "a=b", LINES: "a\nb", EMPTY: "" };

describe("headers and cookies of check", () => {
  it("may have variables of the environment, and dollar signs", () => {
    const headers = { "X-A": "Bearer $TOKEN", "X-B": `\${TOKEN}s`, "X-C": "$$TOKEN", "X-D": "$2b$10$" };
    expect(siteHeaders({ headers, cookies: {} }, environment).map(({ value }) => value)).to.deep.equal([
      ...["Bearer t0ken", "t0kens", "$TOKEN", "$2b$10$"],
    ]);
    expect(variablesOf(headers, { sid: "$SESSION" })).to.deep.equal(["TOKEN", "TOKEN", "SESSION"]);
  });

  it("are one list of headers, with all cookies in one", () => {
    const given = { headers: { "X-A": "b" }, cookies: { sid: "$SESSION", theme: "dark" } };
    expect(siteHeaders(given, environment)).to.deep.equal([
      { name: "X-A", value: "b" },
      { name: "Cookie", value: "sid=a=b; theme=dark" },
    ]);
    expect(siteHeaders({ headers: {}, cookies: {} }, environment)).to.deep.equal([]);
  });

  for (const [what, given, message] of [
    [
      "a variable that is not set",
      { headers: { X: "$NOWHERE" } },
      /^--header X uses \$NOWHERE, which is not set .* Write \$\$/,
    ],
    ["a variable that is empty", { cookies: { sid: "$EMPTY" } }, /^--cookie sid uses \$EMPTY, which is not set/],
    ["a variable with two lines", { headers: { X: "$LINES" } }, /the value of X must be printable ASCII/],
    ["cookies in two ways", { headers: { cookie: "a=b" }, cookies: { c: "d" } }, /by --cookie and by --header Cookie/],
    ["a header of the user's", { headers: { Authorization: "$TOKEN" }, basicAuth: "ada" }, /beside a user name/],
    ["more than servers take", { headers: { X: "x".repeat(8_000) } }, /names and values have 8001 bytes; at most 7000/],
  ] as const)
    it(`are refused with ${what}, and are not repeated`, () => {
      expect(() => siteHeaders({ headers: {}, cookies: {}, ...given }, environment))
        .to.throw(UsageError, message)
        .and.not.match(/t0ken/);
    });
});
