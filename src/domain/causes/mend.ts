import type { Contrast } from "../findings/contrast.ts";
import type { Fix } from "./changes.ts";
import { colourToChange, withContrast } from "./colour.ts";

/** An element's start tag, and what the finding says of it. */
export type Faulty = {
  markup: string;
  message: string;
  contrast?: Contrast | null | undefined;
  /** Tells an id from others that are changed on the page. */
  nth?: number;
};

/** The start tag after the change; `end` is the name in its end tag, if that changes. */
export type Mended = { markup: string; end?: string };

/** What stands for values that only people know. */
const VALUE = "…";
const VALUES: Readonly<Record<string, string>> = { href: "#", src: "image.png", content: "text", type: "text" };

/** Characters that an address must not have. */
const UNSAFE = /[\s<>\\^`{|}[\]]/g;

const START_TAG = /^<([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/i;

/**
 * Makes the change that a fix describes in a start tag.
 *
 * @param given.markup begins with the tag; what follows it is kept
 * @returns undefined where the fix does not fit
 */
export function mend(fix: Fix, given: Faulty): Mended | undefined {
  const { markup, message } = given;
  if (fix.kind === "append") return { markup: markup + fix.text };
  if (fix.kind === "remove") return { markup: "" };
  const [tag, name = "", attributes = ""] = START_TAG.exec(markup) ?? [];
  if (tag === undefined) return undefined;
  const lower = name.toLowerCase();
  const changed = (attrs: string, element = name): string => `<${element}${attrs}>${markup.slice(tag.length)}`;
  switch (fix.kind) {
    case "attributes": {
      const set = fix.by?.[lower] ?? fix.set;
      const after = changed(
        Object.entries(set).reduce((attrs, [one, value]) => withAttribute(attrs, one, value), attributes),
      );
      return after === markup ? undefined : { markup: after };
    }
    case "element": {
      const to = fix.names[lower];
      if (!to) return undefined;
      const kept = (to.without ?? []).reduce((attrs, one) => withAttribute(attrs, one, null), attributes);
      return { markup: changed(to.style ? withStyle(kept, to.style) : kept, to.name), end: to.name };
    }
    case "heading": {
      const level = /at most level ([1-6])/.exec(message)?.[1];
      return level && /^h[1-6]$/.test(lower) ? { markup: changed(attributes, `h${level}`), end: `h${level}` } : undefined;
    }
    case "remove_attribute": {
      const obsolete = attributeNamed(message);
      if (obsolete === undefined || attributeIn(attributes, obsolete) === undefined) return undefined;
      const style = styleFor(obsolete.toLowerCase(), attributeIn(attributes, obsolete) ?? "");
      const rest = withAttribute(attributes, obsolete, null);
      return { markup: changed(style ? withStyle(rest, style) : rest) };
    }
    case "id": {
      const id = attributeIn(attributes, "id");
      return id ? { markup: changed(withAttribute(attributes, "id", `${id}-${given.nth ?? 2}`)) } : undefined;
    }
    case "missing_attribute": {
      const missing = attributeNamed(message);
      if (missing === undefined) return undefined;
      return { markup: changed(withAttribute(attributes, missing, VALUES[missing] ?? VALUE)) };
    }
    case "encode": {
      const value = attributeIn(attributes, fix.attribute);
      const after = value?.trim().replace(fix.attribute === "id" ? /\s+/g : UNSAFE, (one) => (fix.attribute === "id" ? "-" : encodeURIComponent(one)));
      return after === undefined || after === value ? undefined : { markup: changed(withAttribute(attributes, fix.attribute, after)) };
    }
    case "colour": {
      const style = styleWithContrast(given.contrast);
      return style ? { markup: changed(withStyle(attributes, `${style.property}: ${style.after}`)) } : undefined;
    }
    // What is changed is not at the element.
    case "doctype":
    case "main":
      return undefined;
  }
}

/** The declaration that gives a text enough contrast; undefined where colours are not known. */
export function styleWithContrast(
  contrast: Contrast | null | undefined,
): { property: "color" | "background-color"; before: string; after: string } | undefined {
  const found = contrast ? colourToChange(contrast) : undefined;
  const after = found && contrast ? withContrast(found, contrast.required) : undefined;
  if (!found || after === undefined) return undefined;
  return { property: found.changed === "foreground" ? "color" : "background-color", before: found.colour, after };
}

function attributeNamed(message: string): string | undefined {
  return /\battribute ["“]([a-z][a-z0-9:-]*)["”]/i.exec(message)?.[1]?.toLowerCase();
}

/** What CSS has for an attribute that HTML no longer has. */
function styleFor(attribute: string, value: string): string | undefined {
  // A value of the page could end the attribute that it is written into.
  if (!/^[\w#%.-]+$/.test(value)) return undefined;
  const length = /^\d+$/.test(value) ? `${value}px` : value;
  const styles: Record<string, string> = {
    align: `text-align: ${value}`,
    bgcolor: `background-color: ${value}`,
    border: `border-width: ${length}`,
    height: `height: ${length}`,
    valign: `vertical-align: ${value}`,
    width: `width: ${length}`,
  };
  return Object.hasOwn(styles, attribute) ? styles[attribute] : undefined;
}

function attributePattern(name: string): RegExp {
  return new RegExp(`[\\s/]+${name.replace(/[^\w:-]/g, "")}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+)))?(?=[\\s/]|$)`, "i");
}

function attributeIn(attributes: string, name: string): string | undefined {
  return attributePattern(name).exec(attributes)?.slice(1).find((value) => value !== undefined);
}

/** @param value null: the attribute goes */
function withAttribute(attributes: string, name: string, value: string | null): string {
  const without = attributes.replace(attributePattern(name), "");
  if (value === null) return without;
  return `${without.replace(/[\s/]*$/, "")} ${name}="${value}"${/\/\s*$/.test(without) ? " /" : ""}`;
}

function withStyle(attributes: string, style: string): string {
  const known = attributeIn(attributes, "style");
  return withAttribute(attributes, "style", known ? `${known.replaceAll('"', "'").replace(/;?\s*$/, "")}; ${style}` : style);
}
