/** The syntax tree of a RELAX NG schema, close to its text: references, includes and namespaces are unresolved. */
export type PatternSyntax =
  | { type: "empty" | "notAllowed" | "text" }
  | { type: "choice" | "interleave" | "group"; children: PatternSyntax[] }
  | { type: "optional" | "zeroOrMore" | "oneOrMore" | "list" | "mixed"; child: PatternSyntax }
  | { type: "element" | "attribute"; name: NameClass; child: PatternSyntax }
  | { type: "ref"; name: string }
  | { type: "data"; library: string; name: string; parameters: Parameter[]; except?: PatternSyntax }
  | { type: "value"; library: string; name: string; value: string };

export type Parameter = { name: string; value: string };

/** Which names an element or attribute pattern matches. */
export type NameClass =
  | { type: "name"; namespace: string; name: string }
  | { type: "namespace"; namespace: string; except?: NameClass }
  | { type: "any"; except?: NameClass }
  | { type: "choice"; children: NameClass[] };

/** `start` is a definition of the name "start". */
export type Definition = { type: "define"; name: string; combine: "=" | "|=" | "&="; pattern: PatternSyntax };
export type Include = { type: "include"; href: string; namespace: string; overrides: Definition[] };
export type GrammarSyntax = (Definition | Include)[];
