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
  const { markup } = given;
  if (fix.kind === "append") return { markup: markup + fix.text };
  if (fix.kind === "remove") return { markup: "" };
  const [tag, name = "", attributes = ""] = START_TAG.exec(markup) ?? [];
  if (tag === undefined) return undefined;
  // The compiler does not see that both are of one kind.
  const change = menders[fix.kind] as Mender<Fix["kind"]> | undefined;
  const after = change?.(fix, { name: name.toLowerCase(), attributes }, given);
  if (!after || (after.attributes === attributes && after.name === undefined)) return undefined;
  const mended = `<${after.name ?? name}${after.attributes}>${markup.slice(tag.length)}`;
  return { markup: mended, ...(after.name !== undefined && { end: after.name }) };
}

type Tag = { name: string; attributes: string };
/** @returns the attributes after the change, and the name of the element if that is another one */
type Mender<Kind> = (
  fix: Extract<Fix, { kind: Kind }>,
  tag: Tag,
  given: Faulty,
) => { attributes: string; name?: string } | undefined;

/** By kind of fix; the others change something else than a tag. */
const menders: { [Kind in Fix["kind"]]?: Mender<Kind> } = {
  attributes: (fix, { name, attributes }) =>
    // Those of another element are not in this tag.
    fix.on === "parent"
      ? undefined
      : {
          attributes: Object.entries(fix.by?.[name] ?? fix.set).reduce(
            (attrs, [one, value]) => withAttribute(attrs, one, value),
            attributes,
          ),
        },
  element: (fix, { name, attributes }) => {
    const to = fix.names[name];
    if (!to) return undefined;
    const kept = (to.without ?? []).reduce((attrs, one) => withAttribute(attrs, one, null), attributes);
    return { attributes: to.style ? withStyle(kept, to.style) : kept, name: to.name };
  },
  heading: (_, { name, attributes }, { message }) => {
    const level = /at most level ([1-6])/.exec(message)?.[1];
    return level && /^h[1-6]$/.test(name) ? { attributes, name: `h${level}` } : undefined;
  },
  remove_attribute: (_, { attributes }, { message }) => {
    const named = attributeNamed(message);
    const value = named === undefined ? undefined : attributeIn(attributes, named);
    if (named === undefined || value === undefined) return undefined;
    const style = styleFor(named, value);
    const rest = withAttribute(attributes, named, null);
    return { attributes: style ? withStyle(rest, style) : rest };
  },
  id: (_, { attributes }, { nth = 2 }) => {
    const id = attributeIn(attributes, "id");
    return id ? { attributes: withAttribute(attributes, "id", `${id}-${nth}`) } : undefined;
  },
  missing_attribute: (_, { attributes }, { message }) => {
    const named = attributeNamed(message);
    return named === undefined ? undefined : { attributes: withAttribute(attributes, named, VALUES[named] ?? VALUE) };
  },
  encode: ({ attribute }, { attributes }) => {
    const value = attributeIn(attributes, attribute)?.trim();
    if (value === undefined) return undefined;
    const after = attribute === "id" ? value.replace(/\s+/g, "-") : value.replace(UNSAFE, encodeURIComponent);
    return { attributes: withAttribute(attributes, attribute, after) };
  },
  colour: (_, { attributes }, { contrast }) => {
    const style = styleWithContrast(contrast);
    return style && { attributes: withStyle(attributes, `${style.property}: ${style.after}`) };
  },
};

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
  return new RegExp(
    `[\\s/]+${name.replace(/[^\w:-]/g, "")}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+)))?(?=[\\s/]|$)`,
    "i",
  );
}

function attributeIn(attributes: string, name: string): string | undefined {
  return attributePattern(name)
    .exec(attributes)
    ?.slice(1)
    .find((value) => value !== undefined);
}

/** @param value null: the attribute goes */
function withAttribute(attributes: string, name: string, value: string | null): string {
  const without = attributes.replace(attributePattern(name), "");
  if (value === null) return without;
  return `${without.replace(/[\s/]*$/, "")} ${name}="${value}"${/\/\s*$/.test(without) ? " /" : ""}`;
}

function withStyle(attributes: string, style: string): string {
  const known = attributeIn(attributes, "style");
  return withAttribute(
    attributes,
    "style",
    known ? `${known.replaceAll('"', "'").replace(/;?\s*$/, "")}; ${style}` : style,
  );
}
