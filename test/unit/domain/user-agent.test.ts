import { expect } from "chai";
import { isUserAgent, productToken } from "../../../src/domain/headers/user-agent.ts";

describe("a user agent", () => {
  for (const [userAgent, token] of [
    ["", "site-validator"],
    ["MyBot", "mybot"],
    ["MyBot/1.0 (+https://example.com/bot)", "mybot"],
    ["my_bot-x/2 other/3", "my_bot-x"],
    ["MJ12bot/v1.4.8", "mj12bot"],
    ["Mozilla/5.0 (compatible; Checker/2.1; +https://example.com)", "checker"],
    ["Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153 (compatible; Checker/2.1)", "checker"],
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "mozilla"],
    ["(no product)", "*"],
  ] as const)
    it(`is known to robots.txt by its product: ${userAgent || "our own"}`, () => {
      expect(productToken(userAgent)).to.equal(token);
    });

  it("is printable ASCII, with no space at its ends, of a limited length", () => {
    for (const text of ["", "a", "MyBot/1.0 (x; y) ~", "x".repeat(512)]) expect(isUserAgent(text), text).to.equal(true);
    for (const text of [" a", "a ", "a\nb", "a\r\nX: y", "a\tb", "\u00e4", "a\0", "x".repeat(513), 1, undefined])
      expect(isUserAgent(text), JSON.stringify(text)).to.equal(false);
  });
});
