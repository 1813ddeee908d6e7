import { expect } from "chai";
import { shownAddress, shownText, stepAddress, stepText } from "../../../src/domain/addresses/shown-address.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { createMask, createSiteMask } from "../../../src/domain/sign-in/known-secrets.ts";
import type { SiteSession } from "../../../src/domain/sign-in/session.ts";

describe("an address that is shown", () => {
  it("has no user, no password, and no value of what is a secret by its name", () => {
    const table: [string, string][] = [
      ["https://ada:hunter2@shop.example/a", "https://shop.example/a"],
      ["https://ada@shop.example", "https://shop.example"],
      ["https://shop.example/a?id=7&lang=de", "https://shop.example/a?id=7&lang=de"],
      ["https://shop.example/cb?code=abc&state=def&id=1", "https://shop.example/cb?code=…&state=…&id=1"],
      ["https://shop.example/?access_token=abc#id_token=def", "https://shop.example/?access_token=…#id_token=…"],
      ["https://shop.example/a;jsessionid=0123456789", "https://shop.example/a;jsessionid=…"],
      [
        "https://shop.example/?SAMLResponse=abc&reset%5Ftoken=x",
        "https://shop.example/?SAMLResponse=…&reset%5Ftoken=…",
      ],
      ["https://shop.example/?%ff=1&PHPSESSID=7", "https://shop.example/?%ff=1&PHPSESSID=…"],
      ["https://shop.example/a?q=mail@example.org", "https://shop.example/a?q=mail@example.org"],
      ["https://shop.example/#chapter=2", "https://shop.example/#chapter=2"],
    ];
    for (const [given, shown] of table) expect(shownAddress(given), given).to.equal(shown);
  });

  it("is so in every text of a failure, whatever surrounds it", () => {
    const error = new PageError(
      "too_many_redirects",
      'https://u:p@a.example/x?token=1 redirects in a loop: https://b.example/?sid=2 → "https://c.example/?otp=3".',
    );
    expect(error.failure.detail).to.equal(
      'https://a.example/x?token=… redirects in a loop: https://b.example/?sid=… → "https://c.example/?otp=…".',
    );
    expect(shownText("See https://a.example/?token=1, and go on.")).to.equal(
      "See https://a.example/?token=…, and go on.",
    );
  });

  it("has neither query nor fragment where steps lead", () => {
    expect(stepAddress("https://u:p@a.example/in?x=1#y")).to.equal("https://a.example/in");
    expect(stepText("net::ERR_FAILED at https://a.example/in?x=hunter2#y (ws://b.example/?z).")).to.equal(
      "net::ERR_FAILED at https://a.example/in (ws://b.example/).",
    );
  });

  it("is found in time in texts that resemble many", () => {
    const text = "https://".repeat(20_000) + "?a".repeat(20_000);
    expect(shownText(text).length).to.be.greaterThan(0);
    expect(stepText(`http://${"a@".repeat(50_000)}`).length).to.be.greaterThan(0);
  });
});

describe("a known secret", () => {
  it("is masked in texts at any depth, as it is, in addresses, in HTML and in JSON, and bytes stay as they are", () => {
    const mask = createMask(['p&"w <1>']);
    const png = Buffer.from('p&"w <1>');
    expect(
      mask({
        a: ['<b title="p&amp;&quot;w &lt;1&gt;">'],
        b: { url: `https://a.example/?p=${encodeURIComponent('p&"w <1>')}`, json: JSON.stringify('p&"w <1>'), png },
        n: 1,
        nothing: null,
      }),
    ).to.deep.equal({
      a: ['<b title="•••">'],
      b: { url: "https://a.example/?p=•••", json: '"•••"', png },
      n: 1,
      nothing: null,
    });
  });

  it("is masked however its characters are written", () => {
    const mask = createMask(["k=ey/ü '1"]);
    const written = [
      "k=ey/ü '1",
      "k%3dey%2F%c3%bc+%271",
      "k&#61;ey&#x2f;&#xFC;&#32;&#039;1",
      String.raw`k\u003dey\/\u00FC '1`,
    ];
    expect(written.map(mask)).to.deep.equal(["•••", "•••", "•••", "•••"]);
    expect(mask("key/ü '1")).to.equal("key/ü '1");
    expect(createMask(["a%3Db-value"])("a=b-value a%3Db-value")).to.equal("••• •••");
  });

  it("may be as long as applications store texts, and many: of data that is longer the tokens are known", () => {
    const long = (name: string) => `{"name":"${name}","of":"${"<b>%/&".repeat(700)}"}`;
    const mask = createMask([long("a"), long("b"), ...Array.from({ length: 300 }, (_, at) => `"<%&/"<%&/"<%&/${at}"`)]);
    const encoded = encodeURIComponent(long("b"));
    expect(mask(`x ${long("a")} y ${encoded} z ${long("c")} "<%&/"<%&/"<%&/7"`)).to.equal(
      `x ••• y ••• z ${long("c")} •••`,
    );
    const token = "eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG";
    const icons = `<svg>${'<path d="M8 11.5"/>'.repeat(9_000)}</svg>`;
    const stored = {
      origin: "https://a",
      local: [
        ["icons", icons],
        ["all", JSON.stringify({ rows: Array.from({ length: 300_000 }, (_, at) => at), token, icons })],
      ],
      session: [],
      databases: [],
    };
    const session = { cookies: () => [], storage: () => stored };
    const site = createSiteMask({ session } as never, "https://a/");
    expect(site(`${icons} ${token}`)).to.equal(`${icons} •••`);
  });

  it("is what the user has given and what a session has brought, also when that has changed, and no short word", () => {
    let cookie = "first-session-value";
    const session = {
      cookies: () => [
        { name: "s", value: cookie },
        { name: "lang", value: "en" },
      ],
      storage: () => ({
        origin: "https://a.example",
        local: [
          ["jwt", "stored-token-value"],
          ["user", '{"name":"Ada Lovelace of London","tokens":[{"access":"in-a-json-token-1"}]}'],
        ],
        session: [],
        databases: [{ name: "d", stores: [{ records: [{ key: 1, value: { token: "in-a-database-of-2" } }] }] }],
      }),
    } as unknown as SiteSession;
    const steps = [
      { type: "change", selectors: ["#u"], value: "ada" },
      { type: "change", selectors: ["#p"], value: "hunter2" },
    ] as const;
    const credentials = {
      ...{ host: "a.example", username: "ada", password: "basic-password", session, signIn: { steps: [...steps] } },
      headers: [
        { name: "Authorization", value: "Bearer header-token" },
        { name: "Cookie", value: "a=1; id=cookie-value" },
      ],
    };
    const mask = createSiteMask(credentials, "https://a.example/");
    const all = "ada hunter2 basic-password header-token cookie-value stored-token-value en first-session-value 1";
    expect(mask(all)).to.equal("ada ••• ••• ••• ••• ••• en ••• 1");
    expect(mask("in-a-json-token-1 in-a-database-of-2 Ada Lovelace of London")).to.equal(
      "••• ••• Ada Lovelace of London",
    );
    expect(mask(`Basic ${btoa("ada:basic-password")}`)).to.equal("Basic •••");
    cookie = "second-session-value";
    expect(mask("first-session-value second-session-value")).to.equal("••• •••");
    expect(createSiteMask(undefined, "https://a.example/")("hunter2")).to.equal("hunter2");
  });
});
