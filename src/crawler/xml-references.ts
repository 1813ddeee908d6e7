import { Tokenizer } from "htmlparser2";

/** What XML itself defines. */
const PREDEFINED = new Set(["amp", "lt", "gt", "quot", "apos"]);

/** The longest name in HTML has 31 characters. */
const REFERENCE = /<!\[CDATA\[|\]\]>|&(?:(#[0-9]{1,8}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{0,31});)?/gi;

/**
 * XML text with references that an XML parser understands: a bare `&` is escaped, and so is a name that nobody knows;
 * names of HTML become numbers.
 */
export function repairReferences(xml: string): string {
  if (!xml.includes("&")) return xml;
  const known = new Map<string, string>();
  let isVerbatim = false;
  return xml.replace(REFERENCE, (match: string, name: string | undefined) => {
    if (match === "]]>") isVerbatim = false;
    else if (match.startsWith("<")) isVerbatim = true;
    if (isVerbatim || !match.startsWith("&")) return match;
    if (name === undefined) return "&amp;";
    if (name.startsWith("#") || PREDEFINED.has(name)) return match;
    const repaired = known.get(name) ?? characterReferences(name) ?? `&amp;${name};`;
    known.set(name, repaired);
    return repaired;
  });
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
