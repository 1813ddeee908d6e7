import { foreignContent, html, Token } from "parse5";
import { HTML, MATHML, SVG } from "../../tree.ts";
import { type Construction, fail, insertText, isHtmlPoint, isMathTextPoint, pop, popFrom } from "../construction.ts";
import { insertForeign } from "./rules-body.ts";

/** The spelling of SVG's element names; parse5 lacks feDropShadow. */
const svgNames: ReadonlyMap<string, string> = new Map([
  ...foreignContent.SVG_TAG_NAMES_ADJUSTMENT_MAP,
  ["fedropshadow", "feDropShadow"],
]);

/** True when a token belongs to SVG or MathML content. */
export function isForeign(p: Construction, token: Token.TagToken | Token.CharacterToken): boolean {
  const current = p.open.current();
  if (!current || current.isHtml) return false;
  const isTag = "tagName" in token;
  const isEndTag = token.type === Token.TokenType.END_TAG;
  if (isEndTag) return true;
  if (isMathTextPoint(current) && !(isTag && (token.tagName === "mglyph" || token.tagName === "malignmark")))
    return false;
  if (isTag && token.tagName === "svg" && current.key === "math:annotation-xml") return false;
  return !isHtmlPoint(current);
}

/** @see HTML Standard, 13.2.6.5 The rules for parsing tokens in foreign content */
export function foreignStartTag(p: Construction, token: Token.TagToken, inHtml: () => void): void {
  if (foreignContent.causesExit(token)) {
    fail(p, "html-start-tag-in-foreign-content", token, token.tagName);
    leaveForeign(p);
    inHtml();
    return;
  }
  const namespace = p.open.current()?.element.namespaceURI ?? HTML;
  if (namespace === MATHML) foreignContent.adjustTokenMathMLAttrs(token);
  else if (namespace === SVG) {
    adjustName(token);
    foreignContent.adjustTokenSVGAttrs(token);
  }
  foreignContent.adjustTokenXMLAttrs(token);
  insertForeign(p, token, namespace);
}

function adjustName(token: Token.TagToken): void {
  const adjusted = svgNames.get(token.tagName);
  if (adjusted === undefined) return;
  token.tagName = adjusted;
  token.tagID = html.getTagID(adjusted);
}

function leaveForeign(p: Construction): void {
  for (let current = p.open.current(); current; current = p.open.current()) {
    if (current.isHtml || isMathTextPoint(current) || isHtmlPoint(current)) return;
    pop(p);
  }
}

/** Closes a foreign element; a tag that belongs to the HTML around it is passed to `inHtml`. */
export function foreignEndTag(p: Construction, token: Token.TagToken, inHtml: () => void): void {
  const { tagName: name } = token;
  if (name === "p" || name === "br") {
    fail(p, "html-end-tag-in-foreign-content", token, name);
    leaveForeign(p);
    inHtml();
    return;
  }
  const current = p.open.current();
  const adjusted = svgNames.get(name) ?? name;
  const at = Math.max(p.open.last(`svg:${adjusted}`), p.open.last(`math:${name}`));
  const isOpen = at > (current?.nearestHtml ?? 0);
  if (current?.element.tagName.toLowerCase() !== name)
    fail(p, isOpen ? "end-tag-with-open-elements" : "stray-end-tag", token, name);
  if (isOpen) popFrom(p, at);
  else inHtml();
}

export function foreignText(p: Construction, token: Token.CharacterToken): void {
  insertText(p, token);
  if (token.type !== Token.TokenType.WHITESPACE_CHARACTER) p.framesetOk = false;
}
