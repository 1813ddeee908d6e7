import { type Token, tokenize } from "./compact-tokens.ts";
import type { Definition, GrammarSyntax, Include, NameClass, Parameter, PatternSyntax } from "./syntax.ts";

export const XSD = "http://www.w3.org/2001/XMLSchema-datatypes";
const XML = "http://www.w3.org/XML/1998/namespace";
const kinds = { "|": "choice", ",": "group", "&": "interleave" } as const;
const repeats = { "?": "optional", "*": "zeroOrMore", "+": "oneOrMore" } as const;

/**
 * Parses a schema in RELAX NG's compact syntax. Refuses what the Nu checker's schemas do not use:
 * nested grammars, `parent`, `external`.
 *
 * @param inherited the default namespace if the schema declares none
 * @throws Error that names the line, what was found and what is allowed
 * @see https://relaxng.org/compact-20021121.html
 */
export function parseCompactSyntax(source: string, inherited: string): GrammarSyntax {
  const tokens = tokenize(source);
  let at = 0;
  let defaultNamespace = inherited;
  const namespaces = new Map([["xml", XML]]);
  const libraries = new Map([["xsd", XSD]]);

  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)] as Token;
  const next = (): Token => tokens[at++] as Token;
  const isSymbol = (value: string, ahead = 0): boolean => peek(ahead).type === "symbol" && peek(ahead).value === value;
  const isKeyword = (value: string): boolean => peek().type === "keyword" && peek().value === value;
  const accept = (value: string): boolean => {
    const found = peek().type !== "literal" && peek().type !== "name" && peek().value === value;
    if (found) at++;
    return found;
  };
  const fail = (wanted: string): never => {
    const { offset, value } = peek();
    const line = source.slice(0, offset).split("\n").length;
    throw new Error(`Line ${line}: expected ${wanted}, found ${JSON.stringify(value)}.`);
  };
  const expect = (value: string): void => {
    if (!accept(value)) fail(JSON.stringify(value));
  };
  const literal = (): string => {
    if (peek().type !== "literal") fail("a literal");
    let value = next().value;
    while (accept("~")) value += literal();
    return value;
  };
  const identifier = (): string => {
    if (peek().type !== "name" && peek().type !== "keyword") fail("a name");
    return next().value;
  };
  const lookUp = (map: ReadonlyMap<string, string>, prefix: string): string =>
    map.get(prefix) ?? fail(`a declared prefix instead of ${prefix}`);

  const skipAnnotation = (): void => {
    while (isSymbol("[")) {
      let depth = 0;
      do {
        if (isSymbol("[")) depth++;
        if (isSymbol("]")) depth--;
        at++;
      } while (depth > 0 && peek().type !== "end");
    }
  };

  const declaration = (): boolean => {
    if (accept("namespace")) {
      const prefix = identifier();
      expect("=");
      namespaces.set(prefix, accept("inherit") ? inherited : literal());
    } else if (isKeyword("default") && peek(1).value === "namespace") defaultDeclaration();
    else if (accept("datatypes")) {
      const prefix = identifier();
      expect("=");
      libraries.set(prefix, literal());
    } else return false;
    return true;
  };
  const defaultDeclaration = (): void => {
    at += 2;
    const prefix = isSymbol("=") ? undefined : identifier();
    expect("=");
    defaultNamespace = accept("inherit") ? inherited : literal();
    if (prefix !== undefined) namespaces.set(prefix, defaultNamespace);
  };

  const nameClass = (unprefixed: string): NameClass => {
    const children = [nameParticle(unprefixed)];
    while (accept("|")) children.push(nameParticle(unprefixed));
    const [only] = children;
    return children.length === 1 && only ? only : { type: "choice", children };
  };
  const nameParticle = (unprefixed: string): NameClass => {
    const found = namePrimary(unprefixed);
    if (!accept("-")) return found;
    if (found.type !== "any" && found.type !== "namespace") return fail("* or a namespace before -");
    return { ...found, except: namePrimary(unprefixed) };
  };
  const namePrimary = (unprefixed: string): NameClass => {
    if (accept("(")) {
      const inner = nameClass(unprefixed);
      expect(")");
      return inner;
    }
    if (accept("*")) return { type: "any" };
    const text = identifier();
    const colon = text.indexOf(":");
    if (colon < 0) return { type: "name", namespace: unprefixed, name: text };
    const namespace = lookUp(namespaces, text.slice(0, colon));
    const name = text.slice(colon + 1);
    return name === "*" ? { type: "namespace", namespace } : { type: "name", namespace, name };
  };

  const pattern = (): PatternSyntax => {
    const first = particle();
    const operator = peek().type === "symbol" ? kinds[peek().value as keyof typeof kinds] : undefined;
    if (!operator) return first;
    const symbol = peek().value;
    const children = [first];
    while (accept(symbol)) children.push(particle());
    return { type: operator, children };
  };
  const particle = (): PatternSyntax => {
    skipAnnotation();
    const child = primary();
    const repeat = peek().type === "symbol" ? repeats[peek().value as keyof typeof repeats] : undefined;
    if (!repeat) return child;
    at++;
    return { type: repeat, child };
  };
  const braced = (): PatternSyntax => {
    expect("{");
    const inner = pattern();
    expect("}");
    return inner;
  };
  const primary = (): PatternSyntax => {
    if (accept("(")) {
      const inner = pattern();
      expect(")");
      return inner;
    }
    if (peek().type === "literal") return { type: "value", library: "", name: "token", value: literal() };
    return keywordPattern() ?? namedPattern();
  };
  const keywordPattern = (): PatternSyntax | undefined => {
    if (accept("element")) return { type: "element", name: nameClass(defaultNamespace), child: braced() };
    if (accept("attribute")) return { type: "attribute", name: nameClass(""), child: braced() };
    for (const type of ["list", "mixed"] as const) if (accept(type)) return { type, child: braced() };
    for (const type of ["empty", "notAllowed", "text"] as const) if (accept(type)) return { type };
    for (const type of ["string", "token"] as const) if (accept(type)) return datatype("", type);
    return undefined;
  };
  const namedPattern = (): PatternSyntax => {
    if (peek().type !== "name") return fail("a pattern");
    const text = next().value;
    const colon = text.indexOf(":");
    if (colon < 0) return { type: "ref", name: text };
    return datatype(lookUp(libraries, text.slice(0, colon)), text.slice(colon + 1));
  };
  const datatype = (library: string, name: string): PatternSyntax => {
    if (peek().type === "literal") return { type: "value", library, name, value: literal() };
    const parameters: Parameter[] = [];
    if (accept("{")) {
      while (!accept("}")) {
        const parameter = identifier();
        expect("=");
        parameters.push({ name: parameter, value: literal() });
      }
    }
    if (!accept("-")) return { type: "data", library, name, parameters };
    return { type: "data", library, name, parameters, except: primary() };
  };

  const content = (): GrammarSyntax => {
    const found: GrammarSyntax = [];
    for (;;) {
      skipAnnotation();
      if (peek().type === "end" || isSymbol("}")) return found;
      if (accept("div")) {
        expect("{");
        found.push(...content());
        expect("}");
      } else if (accept("include")) found.push(include());
      else if (isSymbol("[", 1)) skipAnnotationElement();
      else found.push(definition());
    }
  };
  const skipAnnotationElement = (): void => {
    identifier();
    skipAnnotation();
  };
  const definition = (): Definition => {
    const name = identifier();
    const combine = peek().value;
    if (combine !== "=" && combine !== "|=" && combine !== "&=") return fail("=, |= or &=");
    at++;
    return { type: "define", name, combine, pattern: pattern() };
  };
  const include = (): Include => {
    const href = literal();
    const namespace = inheritedNamespace();
    const overrides: Definition[] = [];
    if (accept("{")) {
      for (const item of content()) if (item.type === "define") overrides.push(item);
      expect("}");
    }
    return { type: "include", href, namespace, overrides };
  };

  const inheritedNamespace = (): string => {
    if (!accept("inherit")) return defaultNamespace;
    expect("=");
    return lookUp(namespaces, identifier());
  };

  while (declaration());
  skipAnnotation();
  const wrapped = accept("grammar");
  if (wrapped) expect("{");
  const found = content();
  if (wrapped) expect("}");
  if (peek().type !== "end") fail("a definition");
  return found;
}
