import { XML } from "../../tree.ts";

const RESERVED = [
  ["xml", XML],
  ["xmlns", "http://www.w3.org/2000/xmlns/"],
] as const;
const ABSOLUTE = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/** True for an attribute that declares a namespace. */
export function isDeclaration({ name }: { name: string }): boolean {
  return name === "xmlns" || name.startsWith("xmlns:");
}

/** What is wrong with a declaration: the code of its problem, or why the parse cannot go on. */
export function namespaceProblem({
  name,
  value,
}: {
  name: string;
  value: string;
}): { what: string; isFatal?: boolean } | undefined {
  const prefix = name.slice("xmlns:".length);
  for (const [reserved, uri] of RESERVED)
    if ((prefix === reserved) !== (value === uri))
      return { what: `the prefix "${reserved}" and the namespace ${uri} belong together`, isFatal: true };
  if (value === "") return prefix === "" ? undefined : { what: "prefix-without-namespace" };
  return ABSOLUTE.test(value) ? undefined : { what: "relative-namespace" };
}

/** The namespaces that are declared at the parser's place. */
export type Namespaces = ReturnType<typeof createNamespaces>;

/** @see Namespaces in XML 1.0 */
export function createNamespaces() {
  const uris = new Map<string, string[]>([["xml", [XML]]]);
  const declared: string[][] = [];
  return {
    /** Takes the declarations of an element: its attributes `xmlns` and `xmlns:…`. */
    enter(declarations: readonly { name: string; value: string }[]): void {
      const prefixes = declarations.map(({ name }) => name.slice("xmlns:".length));
      for (const [i, { value }] of declarations.entries()) {
        const prefix = prefixes[i] ?? "";
        const known = uris.get(prefix);
        if (known) known.push(value);
        else uris.set(prefix, [value]);
      }
      declared.push(prefixes);
    },
    leave(): void {
      for (const prefix of declared.pop() ?? []) uris.get(prefix)?.pop();
    },
    /** The parts of a name; the URI is undefined if the prefix is not declared. */
    resolve(name: string, isElement: boolean): { prefix: string; local: string; uri?: string | undefined } {
      const colon = name.indexOf(":");
      const prefix = colon < 0 ? "" : name.slice(0, colon);
      const local = name.slice(colon + 1);
      if (prefix === "" && !isElement) return { prefix, local, uri: "" };
      const uri = uris.get(prefix)?.at(-1) ?? (prefix === "" ? "" : undefined);
      return { prefix, local, uri: uri === "" && prefix !== "" ? undefined : uri };
    },
  };
}
