import { expect } from "chai";
import fc from "fast-check";
import { type ElementDescription, elementKey } from "../../../../src/domain/identity/element-key.ts";
import { componentKey, fingerprint } from "../../../../src/domain/identity/fingerprint.ts";
import { pageKey } from "../../../../src/domain/identity/page-key.ts";

const button: ElementDescription = {
  name: "button",
  attributes: [
    ["class", "btn btn--primary"],
    ["type", "submit"],
  ],
  ancestors: [{ name: "form", id: "search", role: "search" }, { name: "main" }, { name: "body" }, { name: "html" }],
};

function fingerprintOf(
  element: Partial<ElementDescription> = {},
  url = "https://example.com/a?b=c",
  rule = "button-name",
): string {
  const key = elementKey({ ...button, ...element }, new URL(url).origin);
  return fingerprint({ kind: "a11y", rule, page: pageKey(url), element: key });
}
const withAttributes = (...attributes: [string, string][]) => fingerprintOf({ attributes });

describe("a fingerprint", () => {
  it("has 20 characters, and is the same each time", () => {
    expect(fingerprintOf()).to.match(/^[0-9a-f]{20}$/);
    expect(fingerprintOf()).to.equal(fingerprintOf());
  });

  it("does not depend on the host, the scheme, the fragment or where a visitor came from", () => {
    for (const url of [
      "http://staging.example.org/a?b=c",
      "https://example.com:8443/a?b=c",
      "https://example.com/a?b=c#d",
      "https://example.com/a?utm_source=x&b=c&gclid=y",
      "https://example.com/./a?b=c",
    ])
      expect(fingerprintOf({}, url), url).to.equal(fingerprintOf());
  });

  it("differs by page, query, rule, element and place in the document", () => {
    const others = [
      fingerprintOf({}, "https://example.com/b?b=c"),
      fingerprintOf({}, "https://example.com/a?b=d"),
      fingerprintOf({}, "https://example.com/a?b=c", "color-contrast"),
      fingerprintOf({ name: "a" }),
      fingerprintOf({ ancestors: button.ancestors.slice(1) }),
      withAttributes(["class", "btn"], ["type", "submit"]),
      withAttributes(["class", "btn btn--primary"], ["type", "button"]),
      withAttributes(["class", "btn btn--primary"], ["type", "submit"], ["disabled", ""]),
    ];
    expect(new Set([fingerprintOf(), ...others]).size).to.equal(others.length + 1);
  });

  it("does not depend on the order of attributes and classes", () => {
    expect(withAttributes(["type", "submit"], ["class", "btn--primary btn"])).to.equal(fingerprintOf());
  });

  it("stays when names are generated anew, and styles, nonces and framework attributes change", () => {
    const before = withAttributes(
      ...([
        ["class", "btn css-1q2w3e4 Button_root__3xYz1 sc-bdVaJa hnRKsq"],
        ["id", ":r1:"],
        ["aria-describedby", "hint-:r1: help"],
        ["style", "color: red"],
        ["nonce", "abc"],
        ["data-v-7ba5bd90", ""],
        ["src", "/static/app.3f2a1b9c.js"],
      ] as [string, string][]),
    );
    const after = withAttributes(
      ...([
        ["class", "Button_root__9aBc2 sc-xKqLmN kTYpqR btn css-9z8y7x6"],
        ["id", ":r7:"],
        ["aria-describedby", "hint-:r9: help"],
        ["style", "color: blue"],
        ["nonce", "def"],
        ["data-v-1a2b3c4d", ""],
        ["src", "/static/app.9c1b2a3f.js"],
      ] as [string, string][]),
    );
    expect(after).to.equal(before);
  });

  it("changes with a link's target, and not with the host of one's own site in it", () => {
    const link = (href: string, url = "https://example.com/a") =>
      fingerprintOf({ name: "a", attributes: [["href", href]] }, url);
    expect(link("/b")).to.not.equal(link("/c"));
    expect(link("https://example.com/b")).to.equal(
      link("https://staging.example.com/b", "https://staging.example.com/a"),
    );
    expect(link("https://other.example/b")).to.not.equal(link("https://example.com/b"));
  });

  it("has the host where a site has several, and the views behind a #", () => {
    const home = { startingUrl: "https://www.example.com/", sameSite: ["subdomains"] };
    expect(pageKey("https://example.com/a", home)).to.equal("/a");
    expect(pageKey("https://example.com/a", { ...home, sameSite: ["www"] })).to.equal("//example.com/a");
    expect(pageKey("https://www.example.com/a", { ...home, sameSite: ["www"] })).to.equal("/a");
    expect(pageKey("https://shop.example.com/a", home)).to.equal("//shop.example.com/a");
    expect(pageKey("https://shop.example.com/a", { ...home, sameSite: [] })).to.equal("/a");
    expect(pageKey("https://example.com/#/a")).to.equal("/#/a");
  });

  it("has campaigns left out of the page, but not sessions", () => {
    expect(pageKey("https://example.com/a;jsessionid=1?sessionid=2&utm_source=x")).to.equal(
      "/a;jsessionid=1?sessionid=2",
    );
  });

  it("has an own one for a finding about the document", () => {
    const page = pageKey("https://example.com/");
    const about = fingerprint({ kind: "html", rule: "doctype", page, element: null });
    expect(about).to.match(/^[0-9a-f]{20}$/);
    expect(about).to.not.equal(fingerprint({ kind: "html", rule: "title", page, element: null }));
  });

  it("shares its component with the same fault on other pages", () => {
    const element = elementKey(button, "https://example.com");
    expect(componentKey({ kind: "a11y", rule: "button-name", element })).to.equal(
      componentKey({ kind: "a11y", rule: "button-name", element: elementKey(button, "https://example.org") }),
    );
    expect(componentKey({ kind: "a11y", rule: "button-name", element })).to.not.equal(
      componentKey({ kind: "html", rule: "button-name", element }),
    );
  });

  it("is the same for the same element whatever its attributes' order, and differs when one changes", () => {
    const name = fc.constantFrom("id", "class", "href", "title", "data-x", "aria-label", "alt", "role");
    const word = fc.stringMatching(/^[a-z]{3,10}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, word), { selector: ([key]) => key, minLength: 1 }),
        word,
        (given, other) => {
          const attributes = given as [string, string][];
          expect(withAttributes(...[...attributes].reverse())).to.equal(withAttributes(...attributes));
          const [[changed, value] = ["", ""], ...rest] = attributes;
          if (value !== other)
            expect(withAttributes([changed, other], ...rest)).to.not.equal(withAttributes(...attributes));
        },
      ),
    );
  });
});
