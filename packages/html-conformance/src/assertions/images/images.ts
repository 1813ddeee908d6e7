import { htmlSection } from "../../finding.ts";
import { elementChildren } from "../../tree.ts";
import {
  type DocumentRule,
  type ElementRule,
  has,
  hasWords,
  is,
  type OpenElement,
  type ReportProblem,
  value,
} from "../open-element.ts";
import { ariaInHtml, elementSection } from "../sections.ts";
import { within } from "../within.ts";

const ALT = htmlSection("images.html#alt");
const FIGURE = within("figure");
const FIGCAPTION = within("figcaption");
const EMBEDDED = ["audio", "canvas", "embed", "iframe", "object", "video", "math", "svg"];

/** Text alternatives and roles of an `<img>` by itself. */
export const checkImage: ElementRule = (open, report) => {
  const { role, roles } = open;
  const alt = value(open, "alt");
  const wrong = (rule: string, message: string, attribute?: string) =>
    report(open, { rule: `img/${rule}`, message, section: ariaInHtml("el-img"), ...(attribute && { attribute }) });
  if (has(open, "controls") && !alt)
    wrong("controls", 'The attribute "controls" of <img> needs the attribute "alt" with a value.', "controls");
  if (!hasName(open)) {
    if (role !== undefined)
      wrong("role-without-name", 'An <img> with a role needs a name, for example the attribute "alt".', "role");
    else if (open.hasAria)
      wrong("aria-without-name", 'An <img> with attributes of ARIA needs a name, for example the attribute "alt".');
    else if (!value(open, "title") && !(open.within & FIGURE)) withoutAlt(report, open);
  } else if (role !== undefined && alt === "")
    wrong("role-with-empty-alt", 'An <img> with alt="" is decoration; it must not have a role.', "role");
  else if (roles.includes("none") || roles.includes("presentation"))
    wrong("presentation-with-name", `The role "${role}" is not allowed on an <img> with a name.`, "role");
};

function hasName(open: OpenElement): boolean {
  return has(open, "alt") || has(open, "aria-label") || has(open, "aria-labelledby");
}

function withoutAlt(report: ReportProblem, open: OpenElement): void {
  report(open, {
    rule: "img/alt",
    message:
      'The attribute "alt" is missing on <img>. It gives the text alternative; it is empty for decoration. It may be left out in a <figure> with a <figcaption> and nothing else.',
    section: ALT,
  });
}

type Figure = { open: OpenElement; images: number; hasCaption: boolean; hasOther: boolean; withoutAlt: OpenElement[] };

/** Images without `alt` in a `<figure>`, whose `<figcaption>` may stand for it. */
export const watchFigures: DocumentRule = (report) => {
  const figures: Figure[] = [];
  return {
    names: ["figure", "img", "audio", "canvas", "embed", "iframe", "object", "video", "math", "svg"],
    open(open) {
      const { name } = open;
      const figure = figures.at(-1);
      if (figure && name === "img") {
        figure.images++;
        if (!hasName(open) && open.role === undefined && !open.hasAria && !value(open, "title"))
          figure.withoutAlt.push(open);
      } else if (figure && EMBEDDED.includes(name || open.element.tagName)) figure.hasOther = true;
      if (name === "figure") figures.push({ open, images: 0, hasCaption: false, hasOther: false, withoutAlt: [] });
    },
    text(text, parent) {
      const figure = figures.at(-1);
      if (!figure || (figure.hasCaption && figure.hasOther) || !hasWords(text)) return;
      if (parent.withinInside & FIGCAPTION) figure.hasCaption = true;
      else figure.hasOther = true;
    },
    close({ name }) {
      if (name !== "figure") return;
      const figure = figures.pop();
      if (!figure) return;
      const outer = figures.at(-1);
      if (outer) outer.hasOther = true;
      const { role } = figure.open;
      if (figure.hasCaption && role !== undefined && role !== "figure" && role !== "doc-example")
        report(figure.open, {
          rule: "figure-role",
          message: `The role "${role}" is not allowed on a <figure> with a <figcaption>.`,
          section: ariaInHtml("el-figure"),
          attribute: "role",
          atEnd: true,
        });
      if (!figure.hasCaption || figure.hasOther || figure.images > 1)
        for (const image of figure.withoutAlt) withoutAlt(report, image);
    },
  };
};

/** A `<caption>` beside a `<figcaption>` in a figure of a table only. */
export const checkCaption: ElementRule = (open, report) => {
  const figure = open.parent?.name === "table" ? open.parent.parent : undefined;
  if (figure?.name !== "figure") return;
  const names = elementChildren(figure.element).map(({ tagName }) => tagName);
  if (names.length !== 2 || !names.includes("figcaption")) return;
  report(open, {
    severity: "warning",
    rule: "figure-caption",
    message: "This <caption> should be left out: the <figcaption> names the table, which is all that the <figure> has.",
    section: elementSection("caption"),
  });
};

export function isLazy(open: OpenElement): boolean {
  return is(open, "loading", "lazy");
}
