import { expect } from "chai";
import { startHtmlEngine } from "../../../src/checker/engines/html/start-engine.ts";
import { cacheFolder } from "../../../src/config.ts";
import type { HtmlEngineName } from "../../../src/schema/html-engines.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

/** Names that every JavaScript object has a member for, and names like them that none has. */
const names: Readonly<Record<string, string>> = {
  constructor: "constructed",
  toString: "toStrinq",
  __proto__: "__protx__",
};

/** Where a page can name something. */
const pages: readonly ((name: string) => string)[] = [
  (name) => `<template><${name}></${name}></template>`,
  (name) => `<table><${name}></${name}></table><svg><${name} ${name}="x"/></svg>`,
  (name) => `<p ${name}="x" data-${name}="x" aria-${name}="x" role="${name}" lang="${name}">x</p>`,
  (name) => `<${name} alt="x" href="x" src="x">x</${name}>`,
  (name) => `<link rel="stylesheet" href="x" media="(${name}: 1)"><link rel="${name}" href="x">`,
  (name) => `<link rel="stylesheet" href="x" media="(min-${name}: 1px) and (${name} > 1px)">`,
  (name) => `<style>@media (${name}: 1) { p { color: red } } @${name} x; p { ${name}: 1 }</style>`,
  (name) => `<style>p:${name}, p::${name}, p:${name}(1) { color: red }</style>`,
  (name) => `<meta http-equiv="Content-Security-Policy" content="img-src 'self'"><${name} src="x"></${name}>`,
  (name) =>
    `<meta http-equiv="Content-Security-Policy" content="img-src ${name}:; ${name} 'self'"><img src="http://a.example/" alt="">`,
  (name) => `<meta http-equiv="Content-Security-Policy" content="img-src *"><img src="${name}:x" alt="">`,
  (name) => `<meta http-equiv="${name}" content="x"><meta name="${name}" content="x"><meta charset="${name}">`,
  (name) => `<script src="x" integrity="${name}-AAAA" type="${name}"></script>`,
  (name) => `<script type="importmap">{ "${name}": {}, "imports": { "${name}": "${name}" } }</script>`,
  (name) => `<script type="speculationrules">{ "prefetch": [{ "${name}": 1, "where": { "${name}": "x" } }] }</script>`,
  (name) => `<form method="${name}" enctype="${name}"><input type="${name}" autocomplete="${name}" name="x"></form>`,
  (name) =>
    `<a href="${name}:x" target="${name}" hreflang="${name}">x</a><iframe sandbox="${name}" allow="${name}"></iframe>`,
  (name) =>
    `<div itemscope itemtype="http://schema.org/${name}"><p itemprop="${name}" id="${name}">&${name};</p></div>`,
  (name) =>
    `<img src="x" alt="" sizes="${name}" srcset="x ${name}" usemap="#${name}"><time datetime="${name}">x</time>`,
];

type Syntax = "HTML" | "XHTML";

/** A page in HTML or XHTML. A body that is not well-formed is an error of the latter, like any other. */
const documents = {
  HTML: (body: string) => ({
    contentType: "text/html",
    source: `<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>${body}`,
  }),
  XHTML: (body: string) => ({
    contentType: "application/xhtml+xml",
    source: `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>x</title></head><body>${body}</body></html>`,
  }),
};

/** Calls `use` with what an engine finds in the body of a page: rule and message, one a line. */
async function withEngine(
  name: HtmlEngineName,
  syntax: Syntax,
  use: (find: (body: string) => Promise<string[]>) => Promise<void>,
) {
  const log = createLogger("error", {});
  const engine = await startHtmlEngine(name, { log, cacheDir: cacheFolder(process.env), workers: 1 });
  try {
    await use(async (body) => {
      const document = { url: "http://example.test/", ...documents[syntax](body) };
      const result = await engine.check(document, new AbortController().signal);
      if ("engineError" in result) throw new Error(`${result.engineError} for ${body}`);
      return result.messages.map(({ rule, message }) => `${rule}: ${message}`);
    });
  } finally {
    await engine.close();
  }
}

describe("names in a page that JavaScript objects have members for", () => {
  for (const [engine, syntax] of [
    ["conformance", "HTML"],
    ["conformance", "XHTML"],
    ["html-validate", "HTML"],
    ["html-validate", "XHTML"],
  ] as const)
    it(`are judged like any other name by ${engine} in ${syntax}`, () =>
      withEngine(engine, syntax, async (find) => {
        for (const [name, other] of Object.entries(names))
          for (const page of pages) {
            const expected = (await find(page(other))).map((message) =>
              message.replaceAll(other, name).replaceAll(other.toLowerCase(), name.toLowerCase()),
            );
            expect(await find(page(name)), page(name)).to.deep.equal(expected);
          }
      }));
});
