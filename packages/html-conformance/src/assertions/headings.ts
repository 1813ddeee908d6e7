import { htmlSection } from "../finding.ts";
import { type DocumentRule, HEADING_LEVEL, has, hasWords, type OpenElement, value } from "./open-element.ts";
import { elementSection } from "./sections.ts";
import { WITHIN_HEADING } from "./within.ts";

const HEADING = /^h[1-6]$/;
const SECTION_NAMES = ["article", "aside", "nav", "section"];
const OUTLINE = htmlSection("sections.html#headings-and-outlines-2");
const HIGHEST = 9;

type Heading = { open: OpenElement; level: number };

/** Levels of headings: without gaps, and with a first one. */
export const watchHeadingLevels: DocumentRule = (report) => {
  const offsets: { open: OpenElement; before: number }[] = [];
  let offset = 0;
  let first: Heading | undefined;
  let previous: Heading | undefined;
  let hasTop = false;
  return {
    inTemplates: true,
    open(open) {
      const { name } = open;
      if (name && open.flags & HEADING_LEVEL) {
        offsets.push({ open, before: offset });
        offset = (has(open, "headingreset") ? 0 : offset) + numberIn(value(open, "headingoffset"));
      }
      if (!HEADING.test(name)) return;
      const heading = { open, level: Math.min(HIGHEST, Number(name[1]) + offset) };
      if (heading.level === 1) hasTop = true;
      if (previous && heading.level > previous.level + 1)
        report(open, {
          rule: "heading-level-skipped",
          message: `The heading <${name}> of level ${heading.level} follows <${previous.open.name}> of level ${previous.level}; at most level ${previous.level + 1} may follow.`,
          section: OUTLINE,
        });
      first ??= heading;
      previous = heading;
    },
    close(open) {
      const last = offsets.at(-1);
      if (last?.open !== open) return;
      offset = last.before;
      offsets.pop();
    },
    end() {
      if (first && !hasTop)
        report(first.open, {
          severity: "warning",
          rule: "heading-level-one",
          message: "No heading of this document has level 1.",
          section: OUTLINE,
        });
    },
  };
};

function numberIn(text: string | undefined): number {
  const trimmed = text?.trim() ?? "";
  return /^\+?\d{1,9}$/.test(trimmed) ? Number(trimmed) : 0;
}

/** Headings with nothing in them; sections and articles without a heading. */
export const watchHeadingContent: DocumentRule = (report) => {
  const headings: { open: OpenElement; hasContent: boolean }[] = [];
  const sections: { open: OpenElement; hasHeading: boolean }[] = [];
  return {
    names: ["h1", "h2", "h3", "h4", "h5", "h6", "article", "aside", "nav", "section", "img"],
    open(open) {
      const { name } = open;
      if (HEADING.test(name)) {
        const section = sections.at(-1);
        if (section) section.hasHeading = true;
        headings.push({ open, hasContent: false });
      } else if (SECTION_NAMES.includes(name)) sections.push({ open, hasHeading: Boolean(value(open, "aria-label")) });
      else if (name === "img" && open.within & WITHIN_HEADING && value(open, "alt")) fill();
    },
    text(text, parent) {
      if (parent.withinInside & WITHIN_HEADING && hasWords(text)) fill();
    },
    close(open) {
      const { name } = open;
      if (HEADING.test(name)) {
        const heading = headings.pop();
        if (heading && !heading.hasContent)
          report(open, {
            severity: "warning",
            rule: "empty-heading",
            message: `The heading <${name}> is empty.`,
            section: elementSection(name),
          });
      } else if (SECTION_NAMES.includes(name)) {
        const section = sections.pop();
        if (section?.hasHeading || (name !== "section" && name !== "article")) return;
        report(open, {
          severity: "warning",
          rule: "section-without-heading",
          message: `This <${name}> has no heading (<h2> to <h6>)${name === "section" ? "; a <div> groups content that needs none" : ""}.`,
          section: elementSection(name),
        });
      }
    },
  };

  function fill(): void {
    const heading = headings.at(-1);
    if (heading) heading.hasContent = true;
  }
};

/** `<h1>` in sections, which many tools take for headings of the page. */
export const watchTopHeadings: DocumentRule = (report) => {
  let depth = 0;
  let offsets = 0;
  let hasTop = false;
  const second: OpenElement[] = [];
  return {
    open(open) {
      if (open.flags & HEADING_LEVEL && has(open, "headingoffset")) offsets++;
      if (open.name === "h1" && offsets === 0) {
        if (depth > 1) inSection(open);
        else if (depth === 1) second.push(open);
        else hasTop = true;
      }
      if (SECTION_NAMES.includes(open.name)) depth++;
    },
    close(open) {
      if (open.flags & HEADING_LEVEL && has(open, "headingoffset")) offsets--;
      if (SECTION_NAMES.includes(open.name)) depth--;
    },
    end() {
      if (hasTop) for (const open of second) inSection(open);
    },
  };

  function inSection(open: OpenElement): void {
    report(open, {
      severity: "warning",
      rule: "heading-h1-in-section",
      message: 'This <h1> is inside of a section; use <h2> to <h6> there, or the attribute "headingoffset".',
      section: OUTLINE,
    });
  }
};
