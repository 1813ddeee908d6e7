import { imageCandidates } from "../../datatypes/index.ts";
import { htmlSection } from "../../finding.ts";
import {
  type DocumentRule,
  type ElementRule,
  formatValue,
  has,
  type OpenElement,
  type ReportProblem,
  value,
} from "../open-element.ts";
import { elementSection } from "../sections.ts";
import { isLazy } from "./images.ts";

const SIZES = htmlSection("images.html#sizes-attribute");

/** True for `auto` and a list that begins with it. */
function isAuto(sizes: string | undefined): boolean {
  return sizes !== undefined && /^[ \t\n\f\r]*auto[ \t\n\f\r]*(?:$|,)/i.test(sizes);
}

/** `sizes` and `srcset` go together. */
export const checkSizes: ElementRule = (open, report) => {
  const [srcsetName, sizesName] = open.name === "link" ? ["imagesrcset", "imagesizes"] : ["srcset", "sizes"];
  const srcset = value(open, srcsetName);
  const sizes = value(open, sizesName);
  if (srcset === undefined && sizes !== undefined)
    report(open, {
      rule: `image-candidates/${sizesName}`,
      message: `The attribute "${sizesName}" of <${open.name}> needs the attribute "${srcsetName}".`,
      section: SIZES,
      attribute: sizesName,
    });
  if (srcset !== undefined) {
    const { problem, hasWidth } = imageCandidates(srcset, sizes !== undefined);
    if (problem)
      report(open, {
        rule: `bad-value/${srcsetName}`,
        message: `The value "${formatValue(srcset)}" of the attribute "${srcsetName}" of <${open.name}> is not a list of images: ${problem}.`,
        section: htmlSection("images.html#srcset-attributes"),
        attribute: srcsetName,
      });
    else if (hasWidth && sizes === undefined && (open.name === "link" || (open.name === "img" && !isLazy(open))))
      withoutSizes(report, open, srcsetName, sizesName);
  }
  if (open.name === "img" && isAuto(sizes) && !isLazy(open)) autoWithoutLazy(report, open);
};

function withoutSizes(report: ReportProblem, open: OpenElement, srcset: string, sizes: string): void {
  report(open, {
    rule: `image-candidates/${sizes}-missing`,
    message: `The attribute "${sizes}" is missing on <${open.name}>; "${srcset}" has widths, which need it.`,
    section: SIZES,
    attribute: srcset,
  });
}

function autoWithoutLazy(report: ReportProblem, open: OpenElement): void {
  report(open, {
    rule: "image-candidates/auto",
    message: 'The value "auto" of the attribute "sizes" needs an <img> with loading="lazy".',
    section: SIZES,
    attribute: "sizes",
  });
}

/** The sources of a `<picture>`: one that always matches hides those after it. */
export const watchPictures: DocumentRule = (report) => {
  const pictures: { sources: OpenElement[]; checked: number; hasImage: boolean }[] = [];
  return {
    names: ["picture", "img", "source"],
    open(open) {
      if (open.name === "picture") pictures.push({ sources: [], checked: 0, hasImage: false });
      if (open.parent?.name !== "picture") return;
      const picture = pictures.at(-1);
      if (!picture) return;
      const { sources } = picture;
      if (open.name === "img") checkSources(picture, open);
      if (has(open, "srcset") && (open.name === "img" || open.name === "source"))
        while (picture.checked < sources.length) checkCondition(sources[picture.checked++]);
      if (open.name === "source") sources.push(open);
    },
    close({ name }) {
      if (name === "picture") pictures.pop();
    },
  };

  function checkSources(picture: { sources: readonly OpenElement[]; hasImage: boolean }, image: OpenElement): void {
    if (!picture.hasImage) for (const source of picture.sources) checkSourceOf(image, source);
    picture.hasImage = true;
  }

  function checkSourceOf(image: OpenElement, source: OpenElement): void {
    if (isLazy(image)) return;
    if (isAuto(value(source, "sizes"))) autoWithoutLazy(report, source);
    if (!has(source, "sizes") && imageCandidates(value(source, "srcset") ?? "").hasWidth)
      withoutSizes(report, source, "srcset", "sizes");
  }

  function checkCondition(source: OpenElement | undefined): void {
    if (!source) return;
    const media = value(source, "media");
    const wrong = (message: string, attribute?: string) =>
      report(source, {
        rule: "image-candidates/always",
        message,
        section: elementSection("source"),
        ...(attribute && { attribute }),
      });
    if (media === undefined) {
      if (!has(source, "type"))
        wrong('<source> needs the attribute "media" or "type": without, what follows it is never used.');
    } else if (["", "all"].includes(media.trim().toLowerCase()))
      wrong(`The value "${media}" of the attribute "media" is not allowed here: what follows is never used.`, "media");
  }
};
