import { Tokenizer } from "htmlparser2";

/** What XML itself defines. */
const PREDEFINED = new Set(["amp", "lt", "gt", "quot", "apos"]);

/** The longest name in HTML has 31 characters. */
const REFERENCE = /<!\[CDATA\[|\]\]>|&(?:(#[0-9]{1,8}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{0,31});)?/gi;

/** The end of a chunk in which one of these may have begun. */
const BEGUN = /[&<\]][^;>]*$/;
const LONGEST = "&;".length + 32;

/**
 * Makes references of XML text understandable for an XML parser, a chunk of the text at a time: a bare `&` is escaped,
 * and so is a name that nobody knows; names of HTML become numbers.
 */
export function createReferenceRepair() {
  const known = new Map<string, string>();
  let unknownNames = 0;
  let isVerbatim = false;
  let begun = "";
  const lookUp = (name: string): string => {
    const found = characterReferences(name);
    if (found === undefined) unknownNames += 1;
    return found ?? `&amp;${name};`;
  };
  const repair = (xml: string): string =>
    xml.replace(REFERENCE, (match: string, name: string | undefined) => {
      if (match === "]]>") isVerbatim = false;
      else if (match.startsWith("<")) isVerbatim = true;
      if (isVerbatim || !match.startsWith("&")) return match;
      if (name === undefined) return "&amp;";
      if (name.startsWith("#") || PREDEFINED.has(name)) return match;
      const repaired = known.get(name) ?? lookUp(name);
      known.set(name, repaired);
      return repaired;
    });
  return {
    /** The text so far, except for its end when a reference may have begun there. */
    repair(chunk: string): string {
      const xml = begun + chunk;
      begun = BEGUN.exec(xml.slice(-LONGEST))?.[0] ?? "";
      return repair(xml.slice(0, xml.length - begun.length));
    },
    /** The rest of the text. */
    end: (): string => repair(begun),
    /** How many different names were met that HTML does not have. */
    unknownNames: () => unknownNames,
  };
}

/** The characters of a name of HTML as numbers; undefined for an unknown name. */
function characterReferences(name: string): string | undefined {
  const codes: number[] = [];
  let rest = "";
  const ignore = (): void => {};
  const reference = `&${name};`;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontextentity: (code) => codes.push(code),
      ontext: (start, end) => {
        rest += reference.slice(start, end);
      },
      ...{ onattribdata: ignore, onattribentity: ignore, onattribend: ignore, onattribname: ignore },
      ...{ oncdata: ignore, onclosetag: ignore, oncomment: ignore, ondeclaration: ignore, onend: ignore },
      ...{ onopentagend: ignore, onopentagname: ignore, onprocessinginstruction: ignore, onselfclosingtag: ignore },
    },
  );
  tokenizer.write(reference);
  tokenizer.end();
  // A name such as `ampx` begins with one that needs no semicolon.
  return codes.length > 0 && rest === "" ? codes.map((code) => `&#${code};`).join("") : undefined;
}
