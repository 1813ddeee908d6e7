import type { Token } from "parse5";
import { clearToMarker } from "../active-formatting.ts";
import { adopt } from "../adoption-agency.ts";
import {
  type AnyToken,
  type Construction,
  fail,
  generateImpliedEndTags,
  insertImplied,
  isCurrent,
  pop,
  popFrom,
  reconstructFormatting,
  removeOpen,
} from "../construction.ts";
import { endTemplate, strayEndTag } from "./rules-head.ts";

type EndTag = (p: Construction, token: Token.TagToken) => void;

const endTags = new Map<string, EndTag>();
const define = (names: string, rule: EndTag): void => {
  for (const name of names.split(" ")) endTags.set(name, rule);
};

/** @see HTML Standard, 13.2.6.4.7 The "in body" insertion mode, its end tags */
export function endTagInBody(p: Construction, token: Token.TagToken): void {
  (endTags.get(token.tagName) ?? anyOtherEndTag)(p, token);
}

/** Closes an ordinary element. */
export function anyOtherEndTag(p: Construction, token: Token.TagToken): void {
  const { tagName: name } = token;
  const at = p.open.last(name);
  if (at < 0 || at < p.open.nearest("special")) {
    strayEndTag(p, token);
    return;
  }
  generateImpliedEndTags(p, name);
  if (p.open.items.length - 1 !== at) fail(p, "end-tag-with-open-elements", token, name, at);
  popFrom(p, at);
}

/** Closes an element in scope, and the elements that are open in it. */
function closeInScope(p: Construction, token: Token.TagToken, at: number, except?: string): void {
  generateImpliedEndTags(p, except);
  if (!isCurrent(p, token.tagName)) fail(p, "end-tag-with-open-elements", token, token.tagName, at);
  popFrom(p, at);
}

define("template", endTemplate);

define("body html", (p, token) => {
  if (!p.open.hasInScope("body")) return strayEndTag(p, token);
  endOfBody(p, token, "end-tag-with-open-elements");
  p.mode = "afterBody";
  if (token.tagName === "html") p.reprocess(token);
});

/** Reports the elements that are open where the body ends, unless their end tags may be left out. */
export function endOfBody(p: Construction, token: AnyToken, code: string): void {
  const needing = p.open.current()?.needingEndTag ?? 0;
  if (needing > 0) fail(p, code, token, "tagName" in token ? token.tagName : undefined, 0);
}

define(
  "address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer header hgroup listing main menu nav ol pre search section select summary ul",
  (p, token) => {
    const { tagName: name } = token;
    if (!p.open.hasInScope(name)) return strayEndTag(p, token);
    closeInScope(p, token, p.open.last(name));
  },
);

define("form", (p, token) => {
  const at = p.open.last("form");
  if (p.open.has("template")) {
    if (!p.open.hasInScope("form")) return strayEndTag(p, token);
    return closeInScope(p, token, at);
  }
  const { form } = p;
  p.form = undefined;
  const entry = form && p.open.items[at];
  if (!entry || entry.element !== form || !p.open.hasInScope("form")) return strayEndTag(p, token);
  generateImpliedEndTags(p);
  if (p.open.current() === entry) {
    pop(p);
    return;
  }
  fail(p, "end-tag-with-open-elements", token, "form", at);
  removeOpen(p, entry);
});

define("p", (p, token) => {
  if (!p.open.hasInScope("p", "buttonScope")) {
    strayEndTag(p, token);
    insertImplied(p, "p", token);
  }
  closeInScope(p, token, p.open.last("p"), "p");
});

define("li", (p, token) => {
  if (!p.open.hasInScope("li", "listItemScope")) return strayEndTag(p, token);
  closeInScope(p, token, p.open.last("li"), "li");
});

define("dd dt", (p, token) => {
  const { tagName: name } = token;
  if (!p.open.hasInScope(name)) return strayEndTag(p, token);
  closeInScope(p, token, p.open.last(name), name);
});

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
define(headings.join(" "), (p, token) => {
  const at = Math.max(...headings.map(p.open.last));
  if (at < 0 || at < p.open.nearest("scope")) return strayEndTag(p, token);
  closeInScope(p, token, at);
});

define("a b big code em font i nobr s small strike strong tt u", (p, token) => {
  if (!adopt(p, token)) anyOtherEndTag(p, token);
});

define("applet marquee object", (p, token) => {
  const { tagName: name } = token;
  if (!p.open.hasInScope(name)) return strayEndTag(p, token);
  closeInScope(p, token, p.open.last(name));
  clearToMarker(p.formatting);
});

define("br", (p, token) => {
  fail(p, "br-end-tag", token, "br");
  reconstructFormatting(p);
  insertImplied(p, "br", token);
  pop(p);
  p.framesetOk = false;
});
