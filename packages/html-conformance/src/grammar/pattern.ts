import type { NameClass, Parameter } from "./syntax.ts";

/**
 * A RELAX NG pattern in simplified form. Patterns are interned: equal ones are the same object, so that
 * derivatives can be remembered by object.
 */
export type Pattern = { readonly id: number; readonly nullable: boolean } & (
  | { readonly kind: "empty" | "notAllowed" | "text" }
  | { readonly kind: "choice" | "interleave"; readonly children: readonly Pattern[] }
  | { readonly kind: "group"; readonly first: Pattern; readonly rest: Pattern }
  | { readonly kind: "oneOrMore" | "list"; readonly child: Pattern }
  /** The content `inner` of an element or attribute that is open, and what follows it. */
  | { readonly kind: "after"; readonly inner: Pattern; readonly outer: Pattern }
  | { readonly kind: "attribute"; readonly name: NameClass; readonly child: Pattern }
  /** One of the grammar's elements, by its index: elements may contain themselves. */
  | { readonly kind: "element"; readonly element: number }
  | { readonly kind: "data"; readonly datatype: Datatype; readonly except: Pattern | undefined }
  | { readonly kind: "value"; readonly datatype: Datatype; readonly value: string }
);

export type Datatype = { readonly library: string; readonly name: string; readonly parameters: readonly Parameter[] };

/** An element that the grammar defines, and what may be in it, attributes included. */
export type ElementDefinition = { readonly name: NameClass; readonly content: Pattern };

export type Grammar = {
  readonly start: Pattern;
  readonly elements: readonly ElementDefinition[];
  readonly patterns: Patterns;
};

type Body = Pattern extends infer Each ? (Each extends Pattern ? Omit<Each, "id"> : never) : never;

/** Makes patterns, in the shortest equal form. */
export type Patterns = ReturnType<typeof createPatterns>;

export function createPatterns() {
  let interned = new Map<string, Pattern>();
  let kept: Map<string, Pattern> | undefined;
  let nextId = 0;

  function intern(key: string, body: Body): Pattern {
    const found = interned.get(key);
    if (found) return found;
    const pattern: Pattern = { ...body, id: nextId++ };
    interned.set(key, pattern);
    return pattern;
  }

  const empty = intern("empty", { kind: "empty", nullable: true });
  const notAllowed = intern("notAllowed", { kind: "notAllowed", nullable: false });
  const text = intern("text", { kind: "text", nullable: true });

  function after(inner: Pattern, outer: Pattern): Pattern {
    if (inner === notAllowed || outer === notAllowed) return notAllowed;
    return intern(`after ${inner.id} ${outer.id}`, { kind: "after", inner, outer, nullable: false });
  }

  /**
   * after(a, x) | after(b, x) is after(a | b, x), and after(a, x) | after(a, y) is after(a, x | y): without
   * this, alternatives multiply with depth.
   */
  function factorAfter(children: readonly Pattern[]): readonly Pattern[] {
    const afters = children.flatMap((child) => (child.kind === "after" ? [child] : []));
    if (afters.length < children.length || children.length < 2) return children;
    const byInner = groupsOf(afters, "inner", "outer").map(([inner, outers]) => [inner, choice(outers)] as const);
    const byOuter = groupsOf(
      byInner.map(([inner, outer]) => ({ inner, outer })),
      "outer",
      "inner",
    );
    const factored = byOuter.map(([outer, inners]) => after(choice(inners), outer));
    return factored.length < children.length ? factorAfter(factored) : children;
  }

  function choice(alternatives: readonly Pattern[]): Pattern {
    const found = new Set<Pattern>();
    for (const pattern of alternatives) {
      if (pattern.kind === "choice") for (const child of pattern.children) found.add(child);
      else if (pattern !== notAllowed) found.add(pattern);
    }
    let children: readonly Pattern[] = [...found];
    if (children.some((child) => child !== empty && child.nullable)) children = children.filter((p) => p !== empty);
    children = factorAfter(children);
    const [only] = children;
    if (!only) return notAllowed;
    if (children.length === 1) return only;
    const sorted = children.toSorted((a, b) => a.id - b.id);
    return intern(`choice ${ids(sorted)}`, {
      kind: "choice",
      children: sorted,
      nullable: sorted.some(({ nullable }) => nullable),
    });
  }

  function interleave(parts: readonly Pattern[]): Pattern {
    const found: Pattern[] = [];
    for (const pattern of parts) {
      if (pattern === notAllowed) return notAllowed;
      if (pattern.kind === "interleave") found.push(...pattern.children);
      else if (pattern !== empty) found.push(pattern);
    }
    const [only] = found;
    if (!only) return empty;
    if (found.length === 1) return only;
    found.sort((a, b) => a.id - b.id);
    return intern(`interleave ${ids(found)}`, {
      kind: "interleave",
      children: found,
      nullable: found.every(({ nullable }) => nullable),
    });
  }

  function group(first: Pattern, rest: Pattern): Pattern {
    if (first === notAllowed || rest === notAllowed) return notAllowed;
    if (first === empty) return rest;
    if (rest === empty) return first;
    const nullable = first.nullable && rest.nullable;
    return intern(`group ${first.id} ${rest.id}`, { kind: "group", first, rest, nullable });
  }

  function oneOrMore(child: Pattern): Pattern {
    if (child === notAllowed || child === empty || child.kind === "oneOrMore") return child;
    return intern(`oneOrMore ${child.id}`, { kind: "oneOrMore", child, nullable: child.nullable });
  }

  return {
    empty,
    notAllowed,
    text,
    after,
    choice,
    interleave,
    group,
    oneOrMore,
    list(child: Pattern): Pattern {
      if (child === notAllowed) return child;
      return intern(`list ${child.id}`, { kind: "list", child, nullable: false });
    },
    attribute(name: NameClass, child: Pattern): Pattern {
      if (child === notAllowed) return child;
      const key = `attribute ${JSON.stringify(name)} ${child.id}`;
      return intern(key, { kind: "attribute", name, child, nullable: false });
    },
    element: (element: number): Pattern => intern(`element ${element}`, { kind: "element", element, nullable: false }),
    data(datatype: Datatype, except: Pattern | undefined): Pattern {
      const key = `data ${JSON.stringify(datatype)} ${except?.id ?? ""}`;
      return intern(key, { kind: "data", datatype, except, nullable: false });
    },
    value(datatype: Datatype, value: string): Pattern {
      const key = `value ${JSON.stringify(datatype)} ${JSON.stringify(value)}`;
      return intern(key, { kind: "value", datatype, value, nullable: false });
    },
    get size(): number {
      return interned.size;
    },
    /** Marks the current patterns as permanent; `forget` goes back to them. */
    keep(): void {
      kept = new Map(interned);
    },
    /** Forgets patterns made since `keep`: they are still valid, but equal new ones will be other objects. */
    forget(): void {
      interned = new Map(kept);
    },
  };
}

type Side = "inner" | "outer";

/** The patterns of one side, by that of the other side. */
function groupsOf(afters: readonly Record<Side, Pattern>[], by: Side, side: Side): [Pattern, Pattern[]][] {
  const groups = new Map<Pattern, Pattern[]>();
  for (const one of afters) {
    const same = groups.get(one[by]);
    if (same) same.push(one[side]);
    else groups.set(one[by], [one[side]]);
  }
  return [...groups];
}

function ids(patterns: readonly Pattern[]): string {
  return patterns.map(({ id }) => id).join(" ");
}

/** @see RELAX NG, section 6.2.1 */
export function containsName(names: NameClass, namespace: string, name: string): boolean {
  switch (names.type) {
    case "name":
      return names.name === name && names.namespace === namespace;
    case "namespace":
      return names.namespace === namespace && !(names.except && containsName(names.except, namespace, name));
    case "any":
      return !(names.except && containsName(names.except, namespace, name));
    case "choice":
      return names.children.some((child) => containsName(child, namespace, name));
  }
}
