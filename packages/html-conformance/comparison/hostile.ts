import type { FuzzDocument } from "./fuzz.ts";

const HEAD = '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>';
const HTML_TYPE = "text/html; charset=utf-8";
const XHTML_TYPE = "application/xhtml+xml; charset=utf-8";
const XHTML_HEAD = '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>x</title></head><body>';

/** Documents that are built to cost time or memory, by name. */
export const hostile: Readonly<Record<string, () => FuzzDocument>> = {
  "50,000 nested elements": () => html("<div>".repeat(50_000)),
  "50,000 nested formatting elements": () => html("<b>".repeat(50_000)),
  "50,000 nested elements of XML": () => xhtml("<div>".repeat(50_000) + "</div>".repeat(50_000)),
  "50,000 nested elements of MathML": () => html(`<math>${"<mrow>".repeat(50_000)}`),
  "50,000 nested elements with ambiguous content": () => html(`<math>${"<apply>".repeat(50_000)}`),
  "10,000 nested elements with transparent content": () => html("<slot>".repeat(10_000)),
  "20,000 nested tables": () => html("<table><tr><td>".repeat(20_000)),
  "20,000 nested templates": () => html("<template>".repeat(20_000)),
  "200,000 elements": () => html("<p>x</p>".repeat(200_000)),
  "200,000 elements of XML": () => xhtml("<p>x</p>".repeat(200_000)),
  "200,000 elements of different names": () =>
    html(Array.from({ length: 200_000 }, (_, i) => `<x-${i}></x-${i}>`).join("")),
  "20,000 findings": () => html("<p foo=1>".repeat(20_000)),
  "30,000 findings of different rules": () => html(Array.from({ length: 30_000 }, (_, i) => `<p foo${i}=1>`).join("")),
  "100,000 attributes": () => html(`<p ${Array.from({ length: 100_000 }, (_, i) => `a${i}=1`).join(" ")}>`),
  "an attribute of 10 MB": () => html(`<p title="${"x".repeat(10_000_000)}" foo>`),
  "text of 10 MB": () => html(`<ul>${"x&amp; ".repeat(1_400_000)}`),
  "white space of 10 MB": () => html(`<ul>${" ".repeat(10_000_000)}x`),
  "10 MB of open tags": () => html("<".repeat(10_000_000)),
  "2 million classes": () => html(`<p class="${"x ".repeat(2_000_000)}">`),
  "a million link types": () => html(`<a href=x rel="${"nofollow ".repeat(1_000_000)}">x</a>`),
  "a million candidates of an image": () => html(`<img alt=x srcset="${"a 1x, ".repeat(1_000_000)}">`),
  "20,000 references": () =>
    html(Array.from({ length: 20_000 }, (_, i) => `<p id=a${i} aria-owns=a${i + 1}></p>`).join("")),
  "20,000 items": () =>
    html(Array.from({ length: 20_000 }, (_, i) => `<p id=a${i} itemscope itemref=a${i + 1}></p>`).join("")),
  "20,000 spanning cells": () => html(`<table>${"<tr><td rowspan=65534 colspan=1000>".repeat(20_000)}`),
  "20,000 form controls": () => html("<label><input type=range list=x min=5 max=1>".repeat(20_000)),
  "30,000 policies, and as many scripts that they say nothing of": () =>
    html(
      "<p onclick=x>".repeat(30_000),
      '<meta http-equiv="Content-Security-Policy" content="img-src x">'.repeat(30_000),
    ),
  "30,000 style sheets": () => html("<style>p{color:foo}</style>".repeat(30_000)),
  "a style sheet of nested rules": () => html(`<style>${"a{".repeat(20_000)}</style>`),
  "a style sheet of 20,000 nested rules side by side": () => html(`<style>a{${"b{color:foo}".repeat(20_000)}}</style>`),
  "a style sheet nested 50 deep, 5,000 times": () =>
    html(`<style>${`${"a{".repeat(50)}color:red${"}".repeat(50)}`.repeat(3_000)}</style>`),
  "20,000 parentheses of CSS": () => html(`<p style="width:${"calc(".repeat(20_000)}">`),
  "a script of nested JSON": () => html(`<script type=importmap>${'{"a":'.repeat(50_000)}</script>`),
  "a language tag of 1 MB": () => html(`<p lang="${"a-".repeat(500_000)}">`),
  "a URL of 1 MB": () => html(`<a href="${"%".repeat(1_000_000)}">x</a>`),
  "a path of 1 MB": () => html(`<svg><path d="${"M0 ".repeat(300_000)}"/></svg>`),
  "a media query of 1 MB": () => html(`<style media="${"(".repeat(1_000_000)}"></style>`),
  "foster parented text": () => html(`<table>${"x<tr>".repeat(50_000)}`),
  "entities of entities": () => ({
    contentType: XHTML_TYPE,
    source: `<!DOCTYPE html [${Array.from({ length: 30 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`).join("")}<!ENTITY e0 "x">]>${XHTML_HEAD}&e30;</body></html>`,
  }),
  "a comment of 10 MB": () => html(`<!--${"-".repeat(10_000_000)}`),
  "combining characters of 1 MB": () => html(`<p>e${"\u0301".repeat(1_000_000)}`),
};

function html(body: string, inHead = ""): FuzzDocument {
  return { source: HEAD.replace("</head>", () => `${inHead}</head>`) + body, contentType: HTML_TYPE };
}

function xhtml(body: string): FuzzDocument {
  return { source: `${XHTML_HEAD}${body}</body></html>`, contentType: XHTML_TYPE };
}
