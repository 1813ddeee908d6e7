import assert from "node:assert/strict";
import { isTrap, judgeUrl, normaliseUrl, recordable } from "../../../src/domain/scope/url-scope.ts";
import type { FuzzTarget } from "../target.ts";

const scope = {
  ...{ host: "example.com", exclusions: ["/private", "?print="], ignoredParameters: ["utm_*", "sid"] },
  ...{ includeGlobs: ["/**"], excludeGlobs: ["*.pdf", "/a/**/b*", "https://example.com/*?x=**"] },
};

export const urlScope: FuzzTarget = {
  name: "url scope",
  seeds: ["http://example.com/a/b?c=d#e", "https://example.com:443/%7Euser/../x", "mailto:a@example.com", "//"],
  words: [
    "http://",
    "https://",
    "example.com",
    ":80",
    ":443",
    "@",
    "/private",
    "?print=",
    "../",
    "xn--",
    "[::1]",
    "javascript:",
    "%7e",
    "%",
    ";sid=",
    "?utm_x=1",
    "&",
  ],
  run(input) {
    const found = input.toString("utf8");
    const verdict = judgeUrl(found, scope);
    if (verdict.kind === "skip") {
      assert(Buffer.byteLength(verdict.url) <= 2_000, "a recorded URL fits the index");
      assert(!verdict.url.includes("\0") && verdict.url.isWellFormed(), "PostgreSQL can store a recorded URL");
      const url = URL.parse(verdict.url);
      if (verdict.reason === "off_site" && url)
        assert.equal(url.username + url.password, "", "no credentials are recorded");
    }
    assert.equal(recordable(recordable(found)), recordable(found));
    if (verdict.kind !== "visit") return;
    const url = new URL(verdict.url);
    assert.equal(url.host, scope.host);
    assert.match(url.protocol, /^https?:$/);
    assert.equal(url.hash, "");
    assert(!isTrap(url));
    assert(!scope.exclusions.some((part) => verdict.url.includes(part)));
    assert.equal(normaliseUrl(verdict.url, scope.ignoredParameters), verdict.url, "a normalised URL stays as it is");
    assert.deepEqual(judgeUrl(verdict.url, scope), verdict, "so does the verdict");
  },
};
