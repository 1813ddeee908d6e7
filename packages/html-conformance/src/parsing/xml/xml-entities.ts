import { parseFragment } from "parse5";

/** Doctypes with which an XML document may use the character references of HTML (HTML Standard, 14.2). */
const publicIds = new Set([
  "-//W3C//DTD XHTML 1.0 Transitional//EN",
  "-//W3C//DTD XHTML 1.1//EN",
  "-//W3C//DTD XHTML 1.0 Strict//EN",
  "-//W3C//DTD XHTML 1.0 Frameset//EN",
  "-//W3C//DTD XHTML Basic 1.0//EN",
  "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN",
  "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN",
  "-//W3C//DTD MathML 2.0//EN",
  "-//WAPFORUM//DTD XHTML Mobile 1.0//EN",
  "-//WAPFORUM//DTD XHTML Mobile 1.1//EN",
  "-//WAPFORUM//DTD XHTML Mobile 1.2//EN",
]);
const PUBLIC_ID = /^\s*[^\s[]+\s+PUBLIC\s+(?:"([^"]*)"|'([^']*)')/;
const EXTERNAL_ID = /^\s*[^\s[]+\s+(?:PUBLIC|SYSTEM)\s/;
const DECLARATION = /<!--|<!ENTITY\s+([^\s%"'<>]+)\s+(?:("[^"]*"|'[^']*')\s*>|(SYSTEM|PUBLIC)\s)/g;
/** A parameter entity may contain declarations from elsewhere, too. */
const PARAMETER_REFERENCE = /%[^\s%;"'<>]+;/;
const REFERENCE = /&(#x[0-9a-fA-F]+|#[0-9]+|[^\s&;#]+);/g;
/** The most characters that entities may expand to in a document, and how deep they may be nested. */
const MAX_EXPANSION = 500_000;
const MAX_DEPTH = 20;
const NAME = /^[A-Za-z][A-Za-z0-9]*$/;

/** Thrown when entities would expand too far, as in an entity bomb. */
export class EntityLimit extends Error {}

/**
 * What an entity reference stands for: a text, or markup with its own entity references. `elsewhere` if its text is in
 * another file, `unread` if its declaration may be there, undefined if it is not declared.
 */
export type Entities = (name: string) => { text: string } | { markup: string } | "elsewhere" | "unread" | undefined;

const predefined = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/**
 * The entities that the doctype of an XML document allows: those that it declares itself, and those of HTML.
 *
 * @throws EntityLimit from the function returned
 */
export function createEntities(doctype: string): Entities {
  const publicId = PUBLIC_ID.exec(doctype);
  const hasHtml = publicIds.has(publicId?.[1] ?? publicId?.[2] ?? "");
  const isExternal = EXTERNAL_ID.test(doctype) || PARAMETER_REFERENCE.test(doctype.slice(doctype.indexOf("[") + 1));
  const { declared, elsewhere } = declarations(doctype);
  const expanded = new Map<string, string>();
  let total = 0;

  const expand = (name: string, depth: number): string => {
    const known = expanded.get(name);
    const source = declared.get(name) ?? "";
    if (depth > MAX_DEPTH) throw new EntityLimit(name);
    const text =
      known ??
      source.replace(REFERENCE, (reference, inner: string) => {
        if (inner.startsWith("#")) return character(inner) ?? reference;
        return declared.has(inner) ? expand(inner, depth + 1) : (predefined.get(inner) ?? reference);
      });
    total += text.length;
    if (total > MAX_EXPANSION) throw new EntityLimit(name);
    expanded.set(name, text);
    return text;
  };

  const marked = new Map<string, boolean>();
  const hasMarkup = (name: string, depth: number): boolean => {
    const known = marked.get(name);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new EntityLimit(name);
    const source = replacementText(declared.get(name) ?? "");
    const inner = Array.from(source.matchAll(REFERENCE), ([, reference = ""]) => reference);
    // Undeclared references in it are found when it is parsed as markup.
    const found =
      source.includes("<") ||
      inner.some((one) =>
        declared.has(one) ? hasMarkup(one, depth + 1) : !one.startsWith("#") && !predefined.has(one),
      );
    marked.set(name, found);
    return found;
  };

  return (name) => {
    const simple = predefined.get(name);
    if (simple !== undefined) return { text: simple };
    const source = declared.get(name);
    if (source !== undefined && hasMarkup(name, 0)) {
      const markup = replacementText(source);
      total += markup.length;
      if (total > MAX_EXPANSION) throw new EntityLimit(name);
      return { markup };
    }
    if (source !== undefined) return { text: expand(name, 0) };
    if (elsewhere.has(name)) return "elsewhere";
    const character = hasHtml ? htmlCharacter(name) : undefined;
    if (character !== undefined) return { text: character };
    return isExternal ? "unread" : undefined;
  };
}

/** An entity's value: character references are replaced at the declaration, entity references where it is used. */
function replacementText(value: string): string {
  return value.replace(REFERENCE, (reference, name: string) =>
    name.startsWith("#") ? (character(name) ?? reference) : reference,
  );
}

/** The general entities that the internal subset declares; the first declaration of a name counts. */
function declarations(doctype: string): { declared: Map<string, string>; elsewhere: Set<string> } {
  const declared = new Map<string, string>();
  const elsewhere = new Set<string>();
  const start = doctype.indexOf("[");
  if (start < 0) return { declared, elsewhere };
  DECLARATION.lastIndex = start;
  for (let found = DECLARATION.exec(doctype); found; found = DECLARATION.exec(doctype)) {
    const [text, name = "", value] = found;
    if (text === "<!--") {
      const end = doctype.indexOf("-->", DECLARATION.lastIndex);
      if (end < 0) break;
      DECLARATION.lastIndex = end;
    } else if (declared.has(name) || elsewhere.has(name)) continue;
    else if (value) declared.set(name, value.slice(1, -1));
    else elsewhere.add(name);
  }
  DECLARATION.lastIndex = 0;
  return { declared, elsewhere };
}

function character(reference: string): string | undefined {
  const code = reference.startsWith("#x") ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The characters of a reference of HTML, such as `nbsp`. */
function htmlCharacter(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  const [node] = parseFragment(`&${name};`).childNodes;
  const text = node && "value" in node ? node.value : "";
  return text === "" || text.endsWith(";") ? undefined : text;
}
