import { expect } from "chai";
import { cookiesOf, headerFaults, MAX_HEADERS, parseHeaderLine } from "../../../src/domain/headers/site-headers.ts";

const faults = (name: string, value = "v", withUser = false) => headerFaults([{ name, value }], withUser);

describe("the headers of a site's credentials", () => {
  for (const name of ["Cookie", "Authorization", "X-Preview", "x_token", "Accept-Language", "X-Forwarded-Proto"])
    it(`may be ${name}`, () => {
      expect(faults(name, "a=b")).to.deep.equal([]);
    });

  for (const name of [
    ...[
      "Connection",
      "HOST",
      "content-length",
      "Transfer-Encoding",
      "TE",
      "Trailer",
      "Upgrade",
      "Expect",
      "Keep-Alive",
    ],
    ...["Proxy-Authorization", "Proxy-Anything", "User-Agent", "Accept-Encoding", "Range", "If-None-Match"],
    ...["Referer", "Origin", "Sec-Fetch-Site", "Content-Type", "HTTP2-Settings"],
  ])
    it(`may not be ${name}`, () => {
      const [fault] = faults(name);
      expect(fault).to.deep.include({ index: 0, member: "name", code: "not_allowed" });
      expect(fault?.text).to.match(new RegExp(`^${name} cannot be set: .* Allowed are other headers, such as Cookie`));
    });

  for (const name of ["", "a b", "a:", "a\r\nX-Other", "\u00e4", "a(b)", "x".repeat(101), "Cookie: s3cret"])
    it(`need a name: ${JSON.stringify(name).slice(0, 30)}`, () => {
      const [fault] = faults(name);
      expect(fault).to.deep.include({ member: "name", code: "invalid_format" });
      expect(fault?.text).not.to.include("s3cret");
    });

  for (const value of ["", " s3cret", "s3cret ", "s3cret\r\nX-Other: y", "s3cret\n", "s3cret\0", "s3cr\u00e9t"])
    it(`need a value, which messages do not repeat: ${JSON.stringify(value)}`, () => {
      const [fault] = faults("X-Token", value);
      expect(fault).to.deep.include({ index: 0, member: "value", code: "invalid_format" });
      expect(fault?.text).to.match(/^the value of X-Token must be printable ASCII/);
      expect(fault?.text).not.to.include("s3cr");
    });

  it("are not Authorization beside a user name", () => {
    expect(faults("authorization", "Bearer x", true)).to.have.nested.property("0.code", "inconsistent");
    expect(faults("X-Token", "x", true)).to.deep.equal([]);
  });

  it("have one value each, and a limited number and size", () => {
    const twice = headerFaults(
      [..."Aa"].map((name) => ({ name, value: "v" })),
      false,
    );
    expect(twice).to.deep.equal([
      { index: 1, member: "name", code: "inconsistent", text: "a is given twice: a header has one value" },
    ]);
    const many = Array.from({ length: MAX_HEADERS + 1 }, (_, n) => ({ name: `X-${n}`, value: "v" }));
    expect(headerFaults(many, false).map(({ code }) => code)).to.deep.equal(["too_many"]);
    expect(faults("X-Long", "x".repeat(7_000)).map(({ code }) => code)).to.deep.equal(["too_long"]);
  });

  for (const value of ["sid", "=x", "a b=c", "a=1; a=2", "a=1;", `a=${"x".repeat(4_096)}`])
    it(`have cookies as browsers send them: ${value.slice(0, 20)}`, () => {
      expect(faults("cookie", value)).to.have.nested.property("0.member", "value");
    });

  it("have cookies whose values may have an equals sign, quotes and spaces", () => {
    expect(cookiesOf('a=b==; theme="dark blue"; empty=')).to.deep.equal([
      { name: "a", value: "b==" },
      { name: "theme", value: '"dark blue"' },
      { name: "empty", value: "" },
    ]);
  });

  it("can be read from lines", () => {
    expect(parseHeaderLine("X-A:  b: c ")).to.deep.equal({ name: "X-A", value: "b: c" });
    expect(parseHeaderLine("nothing")).to.equal(undefined);
  });
});
