import { foreignContent, type Token, TokenizerMode } from "parse5";
import { MATHML, SVG } from "../../tree.ts";
import { findFormatting, pushMarker, removeFormatting } from "../active-formatting.ts";
import { adopt } from "../adoption-agency.ts";
import {
  addAttributes,
  type Construction,
  closeParagraph,
  detach,
  fail,
  generateImpliedEndTags,
  insertElement,
  insertFormatting,
  insertText,
  insertVoid,
  isCurrent,
  noteMove,
  pop,
  popFrom,
  reconstructFormatting,
  removeOpen,
} from "../construction.ts";
import type { Rules } from "./rules.ts";
import { anyOtherEndTag, endOfBody, endTagInBody } from "./rules-body-end.ts";
import { headStartTag, headStartTags, repeatedHtml, startText, strayStartTag } from "./rules-head.ts";
import { endOfFileInTemplate } from "./rules-template.ts";

type StartTag = (p: Construction, token: Token.TagToken) => void;

/** @see HTML Standard, 13.2.6.4.7 The "in body" insertion mode */
export const inBody: Rules = {
  startTag(p, token) {
    (startTags.get(token.tagName) ?? ordinary)(p, token);
  },
  endTag: endTagInBody,
  text(p, token) {
    reconstructFormatting(p);
    insertText(p, token);
    p.framesetOk = false;
  },
  whiteSpace(p, token) {
    reconstructFormatting(p);
    insertText(p, token);
  },
  endOfFile(p, token) {
    if (p.templateModes.length > 0) endOfFileInTemplate(p, token);
    else endOfBody(p, token, "end-of-file-with-open-elements");
  },
};

const startTags = new Map<string, StartTag>();
const define = (names: string, rule: StartTag): void => {
  for (const name of names.split(" ")) startTags.set(name, rule);
};

const ordinary: StartTag = (p, token) => {
  reconstructFormatting(p);
  insertElement(p, token);
};

define("html", repeatedHtml);
define([...headStartTags].join(" "), headStartTag);
define("caption col colgroup frame head tbody td tfoot th thead tr", strayStartTag);

define("body", (p, token) => {
  // A consequence, where something in the head began the body.
  if (!p.headEnd?.isReported) fail(p, "start-tag-already-open", token, "body");
  const body = p.open.items[1];
  if (body?.key !== "body" || p.open.has("template")) return;
  p.framesetOk = false;
  addAttributes(p, body.element, token);
});

define("frameset", (p, token) => {
  strayStartTag(p, token);
  const body = p.open.items[1];
  if (body?.key !== "body" || !p.framesetOk) return;
  noteMove(p);
  detach(body.element);
  popFrom(p, 1);
  insertElement(p, token);
  p.mode = "inFrameset";
});

define(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup main menu nav ol p search section summary ul",
  (p, token) => {
    closeParagraph(p, token);
    insertElement(p, token);
  },
);

define("h1 h2 h3 h4 h5 h6", (p, token) => {
  closeParagraph(p, token);
  if (isCurrent(p, "h1", "h2", "h3", "h4", "h5", "h6")) {
    fail(p, "heading-in-heading", token, token.tagName);
    pop(p);
  }
  insertElement(p, token);
});

define("pre listing", (p, token) => {
  closeParagraph(p, token);
  insertElement(p, token);
  p.skipNewline = true;
  p.framesetOk = false;
});

define("form", (p, token) => {
  const inTemplate = p.open.has("template");
  if (p.form && !inTemplate) return fail(p, "form-in-form", token, "form");
  closeParagraph(p, token);
  const { element } = insertElement(p, token);
  if (!inTemplate) p.form = element;
});

const listItem =
  (...names: string[]): StartTag =>
  (p, token) => {
    p.framesetOk = false;
    const at = Math.max(...names.map(p.open.last));
    if (at >= 0 && at >= p.open.nearest("specialBlock")) {
      const { key } = p.open.items[at] as { key: string };
      generateImpliedEndTags(p, key);
      if (!isCurrent(p, key)) fail(p, "implied-end-tag-with-open-elements", token, key, at);
      popFrom(p, at);
    }
    closeParagraph(p, token);
    insertElement(p, token);
  };
define("li", listItem("li"));
define("dd dt", listItem("dd", "dt"));

define("plaintext", (p, token) => {
  closeParagraph(p, token);
  insertElement(p, token);
  p.tokenizer.state = TokenizerMode.PLAINTEXT;
});

define("button", (p, token) => {
  if (p.open.hasInScope("button")) {
    const at = p.open.last("button");
    generateImpliedEndTags(p);
    fail(p, "start-tag-already-open", token, "button", at);
    popFrom(p, at);
  }
  ordinary(p, token);
  p.framesetOk = false;
});

define("a", (p, token) => {
  const entry = findFormatting(p.formatting, "a");
  if (entry) {
    fail(p, "start-tag-already-open", token, "a");
    if (!adopt(p, token)) anyOtherEndTag(p, token);
    removeFormatting(p.formatting, entry);
    removeOpen(p, entry);
  }
  reconstructFormatting(p);
  insertFormatting(p, token);
});

define("b big code em font i s small strike strong tt u", (p, token) => {
  reconstructFormatting(p);
  insertFormatting(p, token);
});

define("nobr", (p, token) => {
  reconstructFormatting(p);
  if (p.open.hasInScope("nobr")) {
    fail(p, "start-tag-already-open", token, "nobr");
    if (!adopt(p, token)) anyOtherEndTag(p, token);
    reconstructFormatting(p);
  }
  insertFormatting(p, token);
});

define("applet marquee object", (p, token) => {
  ordinary(p, token);
  pushMarker(p.formatting);
  p.framesetOk = false;
});

define("table", (p, token) => {
  if ((p.document.mode as string) !== "quirks") closeParagraph(p, token);
  insertElement(p, token);
  p.framesetOk = false;
  p.mode = "inTable";
});

const voidElement: StartTag = (p, token) => {
  reconstructFormatting(p);
  insertVoid(p, token);
  p.framesetOk = false;
};
define("area br embed img keygen wbr", voidElement);
define("param source track", insertVoid);

define("image", (p, token) => {
  fail(p, "image-start-tag", token, "image");
  token.tagName = "img";
  voidElement(p, token);
});

define("input", (p, token) => {
  if (p.open.hasInScope("select")) {
    fail(p, "start-tag-in-select", token, "input");
    popFrom(p, p.open.last("select"));
  }
  reconstructFormatting(p);
  insertVoid(p, token);
  if (!isHidden(token)) p.framesetOk = false;
});

/** True for the tag of a hidden input element. */
export function isHidden({ attrs }: Token.TagToken): boolean {
  return attrs.find(({ name }) => name === "type")?.value.toLowerCase() === "hidden";
}

define("hr", (p, token) => {
  closeParagraph(p, token);
  if (p.open.hasInScope("select")) {
    generateImpliedEndTags(p);
    reportOpen(p, token, "option", "optgroup");
  }
  insertVoid(p, token);
  p.framesetOk = false;
});

define("textarea", (p, token) => {
  startText(p, token, TokenizerMode.RCDATA);
  p.skipNewline = true;
  p.framesetOk = false;
});

define("xmp", (p, token) => {
  closeParagraph(p, token);
  reconstructFormatting(p);
  p.framesetOk = false;
  startText(p, token, TokenizerMode.RAWTEXT);
});

define("iframe", (p, token) => {
  p.framesetOk = false;
  startText(p, token, TokenizerMode.RAWTEXT);
});
define("noembed", (p, token) => startText(p, token, TokenizerMode.RAWTEXT));

define("select", (p, token) => {
  if (p.open.hasInScope("select")) {
    fail(p, "select-in-select", token, "select");
    popFrom(p, p.open.last("select"));
    return;
  }
  ordinary(p, token);
  p.framesetOk = false;
});

define("option", (p, token) => {
  if (p.open.hasInScope("select")) {
    generateImpliedEndTags(p, "optgroup");
    reportOpen(p, token, "option");
  } else if (isCurrent(p, "option")) pop(p);
  ordinary(p, token);
});

define("optgroup", (p, token) => {
  if (p.open.hasInScope("select")) {
    generateImpliedEndTags(p);
    reportOpen(p, token, "option", "optgroup");
  } else if (isCurrent(p, "option")) pop(p);
  ordinary(p, token);
});

/** Reports an element in scope that should have been closed before a start tag. */
function reportOpen(p: Construction, token: Token.TagToken, ...names: string[]): void {
  const name = names.find((found) => p.open.hasInScope(found));
  if (name) fail(p, "start-tag-with-open-elements", token, token.tagName, p.open.last(name));
}

define("rb rtc", (p, token) => {
  if (p.open.hasInScope("ruby")) generateImpliedEndTags(p);
  if (!isCurrent(p, "ruby")) failRuby(p, token);
  insertElement(p, token);
});

define("rp rt", (p, token) => {
  if (p.open.hasInScope("ruby")) generateImpliedEndTags(p, "rtc");
  if (!isCurrent(p, "ruby", "rtc")) failRuby(p, token);
  insertElement(p, token);
});

function failRuby(p: Construction, token: Token.TagToken): void {
  if (p.open.hasInScope("ruby")) fail(p, "start-tag-with-open-elements", token, token.tagName);
  else fail(p, "start-tag-outside-ruby", token, token.tagName);
}

const foreign =
  (namespace: string, adjust: (token: Token.TagToken) => void): StartTag =>
  (p, token) => {
    reconstructFormatting(p);
    adjust(token);
    foreignContent.adjustTokenXMLAttrs(token);
    insertForeign(p, token, namespace);
  };
define("math", foreign(MATHML, foreignContent.adjustTokenMathMLAttrs));
define("svg", foreign(SVG, foreignContent.adjustTokenSVGAttrs));

/** Inserts an element of SVG or MathML, whose tag may close it at once. */
export function insertForeign(p: Construction, token: Token.TagToken, namespace: string): void {
  insertElement(p, token, namespace);
  if (!token.selfClosing) return;
  token.ackSelfClosing = true;
  pop(p);
}
