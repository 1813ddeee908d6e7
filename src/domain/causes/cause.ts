import type { CheckKind, IssueElement } from "../findings/findings.ts";
import { digest } from "../identity/digest.ts";
import { CHILD } from "../selector/element-selector.ts";
import { changeOf, isShared } from "./changes.ts";
import { colourToChange } from "./colour.ts";
import { shapeOf } from "./shape.ts";

/** What a finding says that decides what has to be changed. */
export type FoundFault = {
  kind: CheckKind;
  /** The engine's name of the rule. */
  rule: string;
  message: string;
  /** Its CSS selector; null for a fault of the document, and for elements that are only counted. */
  selector: string | null;
  element: Pick<IssueElement, "extract" | "contrast"> | null;
};

/** One change in one place of source. */
export type Cause = {
  /** 20 characters (0-9, a-f), the same in every run. */
  key: string;
  /** Of `changes`, or the kind and the rule. */
  change: string;
  /** What is changed: a selector for elements of one shape, a colour, or "" for what all pages share. */
  place: string;
};

/** Rules about an element whose name is the text of the pictures in it. */
const NAMED_BY_PICTURE = new Set(["a11y link-name", "a11y button-name"]);

/**
 * The cause of a finding: findings of one cause go with one change in one place of source. It depends on the finding alone,
 * so each finding has one cause, and the same one in every run and on every page.
 */
export function causeOf({ kind, rule, message, selector, element }: FoundFault): Cause {
  const picture = NAMED_BY_PICTURE.has(`${kind} ${rule}`) ? unnamedPicture(element?.extract ?? "") : undefined;
  if (picture !== undefined && selector !== null)
    return cause("text-alternative", "", shapeOf(`${selector}${CHILD}${picture}`));
  const { name, change } = changeOf(kind, rule);
  if (change.of === "document") return cause(name, "", "");
  if (kind === "links") return cause(name, message, "");
  const colour = change.of === "colour" && element?.contrast ? colourToChange(element.contrast) : undefined;
  if (colour) return cause(name, colour.changed, colour.colour);
  return cause(name, subjectOf(name, message, element?.extract ?? ""), shapeOf(selector ?? ""));
}

function cause(change: string, subject: string, place: string): Cause {
  return { key: digest(["cause", change, subject, place]), change, place };
}

/** What is named besides the element: another attribute or id is another change. */
function subjectOf(change: string, message: string, extract: string): string {
  if (change === "duplicate-id") return idIn(extract);
  // Engines that report the same thing have other words for it.
  if (isShared(change)) return "";
  return /\battribute ["“]([^"”]{1,60})["”]/.exec(message)?.[1] ?? "";
}

/** @param extract an element's markup, perhaps with source around it, where a duplicate id is marked by nothing else */
export function idIn(extract: string): string {
  return (
    /\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
      .exec(extract)
      ?.slice(1)
      .find((id) => id !== undefined) ?? ""
  );
}

/** The steps from an element to the first picture in it that has no `alt`. @param extract its markup, perhaps cut */
function unnamedPicture(extract: string): string | undefined {
  const open: string[] = [];
  for (const [, end, name = "", attributes = ""] of extract
    .slice(0, 2_000)
    .matchAll(/<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/gi)) {
    if (end) open.pop();
    else {
      const classes = /\sclass=["']?([^"'>]*)/i.exec(attributes)?.[1] ?? "";
      const names = [...new Set(classes.split(/\s+/).filter((one) => /^[\w-]+$/.test(one)))].sort();
      open.push([name.toLowerCase(), ...names].join("."));
      if (name.toLowerCase() === "img") {
        const path = open.slice(1);
        return path.length === 0 || /\salt\s*=?/i.test(attributes) ? undefined : path.join(CHILD);
      }
      if (/\/$/.test(attributes) || /^(?:br|wbr|input|source)$/i.test(name)) open.pop();
    }
  }
  return undefined;
}
