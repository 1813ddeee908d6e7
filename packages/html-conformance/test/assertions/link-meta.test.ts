import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  ["a style sheet", "<!doctype html><link rel=stylesheet href=x>"],
  ["a link without href", "<!doctype html><link rel=stylesheet>", "link/href"],
  ["preload without as", "<!doctype html><link rel=preload href=x>", "link/as"],
  ["as without preload", "<!doctype html><link rel=icon href=x as=image>", "link/as"],
  ["a destination that cannot be preloaded", "<!doctype html><link rel=preload href=x as=worker>", "link/as"],
  ["a worker of modulepreload", "<!doctype html><link rel=modulepreload href=x as=worker>"],
  ["imagesrcset for preload", `<!doctype html><link rel=preload as=image imagesrcset="a 1x">`],
  [
    "imagesrcset with widths only",
    `<!doctype html><link rel=preload as=image imagesrcset="a 2w">`,
    "image-candidates/imagesizes-missing",
  ],
  [
    "imagesrcset on a style sheet",
    `<!doctype html><link rel=stylesheet href=x imagesrcset="a 1x">`,
    "link/imagesrcset",
    "link/imagesrcset",
  ],
  ["sizes without icon", "<!doctype html><link rel=stylesheet href=x sizes=any>", "link/sizes"],
  [
    "blocking without a style sheet",
    "<!doctype html><link rel=preload as=script href=x blocking=render>",
    "link/blocking",
  ],
  ["blocking until an element is there", "<!doctype html><link rel=expect href=#x blocking=render><p id=x>"],
  ["an alternate style sheet without title", `<!doctype html><link rel="alternate stylesheet" href=x>`, "link/title"],
  ["an icon in the body", "<p>x</p><link rel=icon href=x>", "link/in-body"],
  ["a style sheet in the body", "<p>x</p><link rel=stylesheet href=x>"],
  ["base after a link", "<!doctype html><link rel=icon href=x><base href=x>", "base-after-link"],
  ["base with a target after a link", "<!doctype html><link rel=icon href=x><base target=x>"],
  ["one encoding", "<!doctype html><meta charset=UTF-8>"],
  ["two encodings", "<!doctype html><meta charset=utf-8><meta charset=utf-8>", "meta/encoding-not-unique"],
  [
    "the encoding in two ways",
    `<!doctype html><meta charset=utf-8><meta http-equiv=content-type content="text/html; charset=utf-8">`,
    "meta/encoding-not-unique",
  ],
  ["another encoding", "<!doctype html><meta charset=latin1>", "meta/charset"],
  [
    "two descriptions",
    "<!doctype html><meta name=description content=a><meta name=Description content=b>",
    "meta/description-not-unique",
  ],
  ["content-language", "<!doctype html><meta http-equiv=content-language content=en>", "meta/http-equiv"],
  ["an old X-UA-Compatible", `<!doctype html><meta http-equiv=x-ua-compatible content="IE=8">`, "meta/http-equiv"],
  ["media without theme-color", "<!doctype html><meta name=x media=print content=y>", "meta/media"],
  ["a theme-color that is no color", `<!doctype html><meta name=theme-color content="#12">`, "meta/content"],
  [
    "a viewport that cannot be enlarged",
    `<!doctype html><meta name=viewport content="user-scalable=no">`,
    "meta/viewport?",
  ],
];

describe("links, metadata and their place", () => tryRows(rows));
