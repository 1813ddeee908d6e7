import { elementSelector } from "../selector/element-selector.ts";
import { digest } from "./digest.ts";
import { isGenerated, withoutGenerated } from "./generated.ts";

/** An element as its document has it. */
export type ElementDescription = {
  name: string;
  attributes: readonly (readonly [name: string, value: string])[];
  /** From its parent to the root, or only the nearest ones. */
  ancestors: readonly Ancestor[];
};

export type Ancestor = {
  name: string;
  id?: string | undefined;
  role?: string | undefined;
  /** The class attribute. */
  classes?: string | undefined;
};

/** Identifies an element, in two parts that are compared separately: digests, because a page decides their length. */
export type ElementKey = {
  /** Of the start tag, with its attributes sorted and without generated values. */
  tag: string;
  /** Of the ancestors from the root to the parent, without positions: with their stable ids, and their roles. */
  path: string;
  /** A CSS selector, for mutings and people: it does not identify the element. */
  selector?: string;
};

/** Attributes whose values change while the element stays the same, or with each visit. */
const LEFT_OUT = new Set(["style", "nonce", "integrity"]);
/** Attributes that frameworks name by a hash: `data-v-7ba5bd90`, `_ngcontent-abc-c12`. */
const FRAMEWORK_ATTRIBUTE = /^(?:data-v-|_ng(?:content|host)-|data-react|data-styled|svelte-|data-astro-cid-)/i;
const URLS = new Set(["href", "src", "srcset", "action", "formaction", "poster", "data", "cite", "xlink:href"]);
const ID_LISTS = new Set([
  ...["id", "for", "name", "form", "list", "headers", "aria-labelledby", "aria-describedby", "aria-controls"],
  ...["aria-owns", "aria-flowto", "aria-activedescendant", "aria-details", "aria-errormessage"],
]);

/** @param origin of the page: left out of URLs of its own site, so that staging and production agree */
export function elementKey({ name, attributes, ancestors }: ElementDescription, origin: string): ElementKey {
  const kept = attributes
    .filter(
      ([attribute]) => !LEFT_OUT.has(attribute) && !FRAMEWORK_ATTRIBUTE.test(attribute) && !isGenerated(attribute),
    )
    .map(([attribute, value]) => `${attribute}=${JSON.stringify(stableValue(attribute, value, origin))}`)
    .sort();
  const { path, steps } = placeOf(ancestors);
  return {
    tag: digest([name, ...new Set(kept)]),
    path,
    selector: elementSelector([selectorStep({ name, ...namesOf(attributes) }), ...steps]),
  };
}

type Place = { path: string; steps: ReturnType<typeof selectorStep>[] };

/** Many elements of a page have the same list of ancestors. */
const places = new WeakMap<readonly Ancestor[], Place>();

function placeOf(ancestors: readonly Ancestor[]): Place {
  const known = places.get(ancestors);
  if (known) return known;
  const place = { path: digest(ancestors.map(ancestorKey).reverse()), steps: ancestors.map(selectorStep) };
  places.set(ancestors, place);
  return place;
}

function ancestorKey({ name, id = "", role = "" }: Ancestor): string {
  return `${name}${id === "" || isGenerated(id) ? "" : `#${id}`}${role === "" ? "" : `[${role}]`}`;
}

function namesOf(attributes: ElementDescription["attributes"]): Pick<Ancestor, "id" | "classes"> {
  const valueAt = (wanted: string) => attributes.find(([attribute]) => attribute === wanted)?.[1];
  return { id: valueAt("id"), classes: valueAt("class") };
}

/** Without generated names: a muting that uses them would not last. */
function selectorStep({ name, id = "", classes = "" }: Ancestor) {
  const given = words(classes);
  const stable = stableClasses(given).filter((one) => given.includes(one));
  return { name, id: isGenerated(id) ? "" : id, classes: stable };
}

function stableValue(attribute: string, value: string, origin: string): string {
  if (attribute === "class") return stableClasses(words(value)).join(" ");
  if (ID_LISTS.has(attribute)) return words(value).map(withoutGenerated).join(" ");
  // File names may contain hashes of their contents.
  if (URLS.has(attribute)) return value.replaceAll(`${origin}/`, "/").replaceAll(/[^/?&=#,;\s]+/g, withoutGenerated);
  return isGenerated(value) ? words(value).map(withoutGenerated).join(" ") : value;
}

/** Sorted, because build tools decide the order. A class of styled-components comes with one of six random letters. */
function stableClasses(classes: readonly string[]): string[] {
  const styled = classes.some((name) => name.startsWith("sc-"));
  return classes
    .filter((name) => !(styled && /^(?=.*[A-Z])[A-Za-z]{5,7}$/.test(name)))
    .map(withoutGenerated)
    .filter(isWord)
    .sort();
}

function words(value: string): string[] {
  return value.split(/[ \t\n\f\r]+/).filter((word) => word !== "");
}

/** False for what may be left of a generated name: punctuation, or the prefix of the tool that made it. */
function isWord(word: string): boolean {
  return /[A-Za-z0-9]/.test(word) && !/^(?:css|sc|jsx|svelte|astro|emotion|makeStyles|jss)-*$/.test(word);
}
