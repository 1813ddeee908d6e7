import { createHash } from "node:crypto";
import { expect } from "chai";
import { findingsOf } from "../support/assertion-rows.ts";

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const urlSafe = (source: string): string => source.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** A policy, what stands behind it in the head or in the body, and what the policy blocks of it. */
const rows: readonly (readonly [policy: string, html: string, ...blocked: string[]])[] = [
  // Directives and those that they fall back to.
  ["", "<script>x</script><img src=a alt>"],
  ["default-src 'none'", "<p>x</p>"],
  ["default-src 'none'", "<script src=a></script>", "script"],
  ["default-src 'none'; script-src 'self'", "<script src=a></script>"],
  ["script-src 'none'; script-src-elem 'self'", "<script src=a></script><p onclick=x>", "event-handler"],
  ["script-src 'self'; script-src *", "<script src=http://other.com></script>", "script"],
  ["img-src", "<img src=a alt>", "image"],
  ["style-src 'none'", "<link rel='Icon StyleSheet' href=a><link rel=icon href=a>", "style-sheet"],
  ["style-src 'none'", "<link rel=stylesheet href=a disabled><link rel=stylesheet href=a type=text/x>"],
  ["style-src 'none'", "<style>a{}</style><p style=color:red>", "inline-style", "style-attribute"],
  ["style-src-attr 'unsafe-inline'; style-src 'none'", "<p style=color:red>"],
  ["child-src 'none'", "<iframe src=a></iframe><iframe src=a srcdoc=x></iframe>", "frame"],
  ["frame-src *; child-src 'none'", "<iframe src=a></iframe>"],
  ["object-src 'none'", "<object data=a></object><embed src=a>", "object", "object"],
  ["media-src 'none'", "<video src=a></video><audio src=a></audio>", "media", "media"],
  ["SCRIPT-SRC 'NONE'", "<script>x</script>", "inline-script"],
  ["sandbox; frame-ancestors 'none'; report-uri /x", "<script>x</script><img src=a alt>"],
  // Scripts and styles in the document.
  ["script-src 'self'", "<script>x</script>", "inline-script"],
  ["script-src 'unsafe-inline'", "<script>x</script><p onclick=x>"],
  ["script-src 'self'", "<script> </script><script type=text/x>x</script><script nomodule>x</script>"],
  ["script-src 'self'", "<script type=module>x</script>", "inline-script"],
  ["script-src 'nonce-a'", "<script nonce=a>x</script><script nonce=A>x</script>", "inline-script"],
  ["script-src 'nonce-a'", "<script nonce=a src=http://other.com></script>"],
  ["script-src 'nonce-a' 'unsafe-inline'", "<script>x</script>", "inline-script"],
  ["style-src 'nonce-a'", "<style nonce=a>a{}</style>"],
  [`script-src ${hash("x")}`, "<script>x</script><script>y</script>", "inline-script"],
  [`script-src ${urlSafe(hash("x"))}`, "<script>x</script>"],
  [`script-src ${hash("x")}`, "<p onclick=x>", "event-handler"],
  [`script-src ${hash("x")} 'unsafe-hashes'`, "<p onclick=x>"],
  [`script-src ${hash("x")}`, `<script src=http://a.com integrity=${hash("x").slice(1, -1)}></script>`],
  ["script-src 'strict-dynamic' 'unsafe-inline'", "<script>x</script>", "inline-script"],
  ["script-src 'strict-dynamic' 'nonce-a' https:", "<script src=https://a.com></script>", "script"],
  ["script-src 'none'", "<p onfoo=x><template><script>x</script></template>"],
  // Addresses; the document is at http://example.com/.
  ["img-src 'self'", "<img src=a alt><img src=http://example.com/b alt><img src=https://example.com alt>"],
  ["img-src 'self'", "<img src=http://sub.example.com alt>", "image"],
  ["img-src 'self'", "<img src=data:image/png,x alt>", "image"],
  ["img-src data:", "<img src=data:image/png,x alt>"],
  ["img-src *", "<img src=data:image/png,x alt><img src=https://a.com alt>", "image"],
  ["img-src 'none'", "<img src=blob:http://example.com/x alt><img src=about:blank alt><img src=http:// alt>"],
  ["img-src https:", "<img src=http://a.com alt>", "image"],
  ["img-src http:", "<img src=https://a.com alt>"],
  ["img-src https:; upgrade-insecure-requests", "<img src=http://a.com alt>"],
  ["img-src a.com", "<img src=http://a.com alt><img src=https://A.com/b alt>"],
  ["img-src a.com", "<img src=http://b.a.com alt>", "image"],
  ["img-src *.a.com", "<img src=http://b.a.com alt><img src=http://a.com alt>", "image"],
  ["img-src https://*", "<img src=https://a.com alt>"],
  ["img-src http://a.com:81", "<img src=http://a.com:81 alt><img src=http://a.com alt>", "image"],
  ["img-src http://a.com:*", "<img src=http://a.com:81 alt>"],
  [
    "img-src a.com/b/",
    "<img src=http://a.com/b/c alt><img src=http://a.com/%62/ alt><img src=http://a.com/c alt>",
    "image",
  ],
  ["img-src a.com/b", "<img src=http://a.com/b?c alt><img src=http://a.com/b/c alt>", "image"],
  ["img-src a.com/%zz", "<img src=http://a.com/b alt>"],
  ["img-src ?", "<img src=a alt>"],
];

const rulesOf = (html: string, url?: string): string[] =>
  findingsOf(html, url)
    .map(({ rule }) => rule)
    .filter((rule) => rule.startsWith("content-security-policy/"))
    .map((rule) => rule.slice("content-security-policy/".length));
const policy = (content: string): string => `<meta http-equiv=Content-Security-Policy content="${content}">`;

describe("a Content-Security-Policy in <meta>", () => {
  for (const [content, html, ...blocked] of rows)
    it(`"${content}" ${blocked.length === 0 ? "allows" : "blocks something in"} ${html}`, () => {
      expect(rulesOf(`<!doctype html><head>${policy(content)}${html}`)).to.deep.equal(blocked);
    });

  it("governs what comes after it, and only from the head", () => {
    expect(rulesOf(`<!doctype html><script>x</script>${policy("script-src 'none'")}`)).to.deep.equal([]);
    expect(rulesOf(`<!doctype html><body>${policy("script-src 'none'")}<script>x</script>`)).to.deep.equal([]);
  });

  it("does not replace another one: what each of them blocks is blocked, and named once", () => {
    const both = `${policy("img-src 'none'")}${policy("img-src *; script-src 'none'")}${policy("img-src 'none'")}`;
    expect(rulesOf(`<!doctype html>${both}<img src=a alt><script>x</script>`)).to.deep.equal([
      "image",
      "inline-script",
    ]);
  });

  it("is applied to addresses as <base> resolves them", () => {
    const html = `<!doctype html><base href="https://a.com/">${policy("img-src https://a.com")}<img src=x alt>`;
    expect(rulesOf(html)).to.deep.equal([]);
  });

  it("is not applied to relative addresses of a file, unless it allows nothing", () => {
    const html = "<script src=a></script><script src=http://b.com></script>";
    expect(rulesOf(`<!doctype html>${policy("script-src 'self' a.com")}${html}`, "file:///x.html")).to.deep.equal([]);
    expect(rulesOf(`<!doctype html>${policy("script-src a.com")}${html}`, "file:///x.html")).to.deep.equal(["script"]);
    expect(rulesOf(`<!doctype html>${policy("script-src 'none'")}${html}`, "file:///x.html")).to.have.length(2);
  });

  it("names what it blocks, and the directive", () => {
    const [finding] = findingsOf(`<!doctype html>${policy("default-src 'self'")}<title>x</title><p onclick=x>`);
    expect(finding?.message).to.equal(
      'The Content-Security-Policy of this document blocks the event handler "onclick": it is not allowed by "default-src \'self\'".',
    );
    expect(finding?.severity).to.equal("warning");
    expect(finding?.attribute?.name).to.equal("onclick");
  });

  it("ends with long policies and many resources", () => {
    const long = policy(`img-src ${"a.com ".repeat(50_000)}`);
    expect(rulesOf(`<!doctype html>${long}${"<img src=http://b.com alt>".repeat(50_000)}`).length).to.be.below(50);
  });
});
