import type { ActingRuleName } from "./rules.ts";

/** Something that is named on a page. */
export type Named = {
  id: number;
  kind: "link" | "image" | "heading" | "label" | "title";
  /** Its accessible name, or its text. */
  name: string;
  /** Of a link: what else is written in its paragraph, list item or cell. Of an image: the name of its file. */
  around: string;
  /** Of a link: texts by which it is told apart from others of its name, each in any order of its words. */
  context: readonly string[];
  /** Of a link: where it leads, without a fragment. */
  target: string;
};

/** A name that does not say what something is. */
export type NameFault = { rule: ActingRuleName; id: number; review: boolean; summary: string };

/** Of links, if nothing around them says more. */
const LINKS =
  /^(?:(?:read|learn|find out|show|see|view|get)?\s*(?:more|all)(?: info(?:rmation)?| details)?|(?:click |tap |press )?here|this|link|this link|details?|info|go|continue|mehr|weiter|weiterlesen|hier|mehr erfahren|mehr lesen|details ansehen|lire la suite|en savoir plus|plus|ici|suite|leer más|más|ver más|aquí|leggi tutto|continua|qui|di più|lees meer|meer|hier klikken)$/i;
const IMAGES =
  /^(?:(?:an?|the)?\s*(?:image|picture|photo(?:graph)?|graphic|icon|logo|banner|illustration|img|pic|thumbnail|chart|diagram|screenshot|spacer|bullet)|bild|foto|grafik|symbol|abbildung|logotipo|imagen|immagine|afbeelding|untitled|alt|null|undefined)\s*\d*$/i;
const FILES = /^[^\s]+\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)$/i;
const HEADINGS =
  /^(?:section|chapter|part|heading|title|headline|untitled|subtitle|topic|paragraph|block|abschnitt|kapitel|teil|überschrift|titel|partie|titre|sección|título|capítulo)(?:\s*\d{1,3}|\s(?:[ivx]{1,5}|[a-z]))?$/i;
const LABELS = /^(?:field|input|label|text|value|feld|eingabe|champ|campo|option|item|box)(?:\s*\d{1,3}|\s[a-z])?$/i;
const TITLES =
  /^(?:untitled(?: document| page)?|document|new page|(?:web ?)?page|title|index(?:\.html?)?|default|home ?page|unbenannt(?:es dokument)?|sans titre|sin título|[^\s]+\.(?:html?|php|aspx?|jsp))\s*\d*$/i;

/** What a program writes until somebody has written a title: no page is about it. */
const TEMPLATES =
  /^(?:untitled(?: document| page)|new page|(?:insert|enter|add|type|put) (?:a |the |your |page )*title(?: here)?|(?:your |page |site )?title (?:goes )?here|your (?:page |site )?title|lorem ipsum.*|unbenanntes dokument|(?:hier )?titel (?:hier )?einf[üu]gen|document sans titre|sans titre|sin título|senza titolo)\s*\d*$/i;

type Test = { rule: ActingRuleName; saysNothing: (name: string, around: string) => boolean; says: string };

/** What a name of each kind must not be, and what is said of it after it is quoted. */
const tests: Readonly<Record<Named["kind"], Test>> = {
  link: {
    rule: "sv-link-purpose",
    saysNothing: (name, around) => LINKS.test(name) && !/\p{L}{3}/u.test(around),
    says: "does not say where this link leads, and nothing beside it does",
  },
  image: {
    rule: "sv-image-name",
    saysNothing: (name, file) => IMAGES.test(name) || FILES.test(name) || (name !== "" && name === file),
    says: "does not say what the image shows or does",
  },
  heading: {
    rule: "sv-heading-name",
    saysNothing: (name) => HEADINGS.test(name),
    says: "does not say what follows this heading",
  },
  label: {
    rule: "sv-heading-name",
    saysNothing: (name) => LABELS.test(name),
    says: "does not say what is to be entered",
  },
  title: {
    rule: "sv-page-title",
    saysNothing: (name) => TITLES.test(name) || TEMPLATES.test(name),
    says: "does not say what the page is about",
  },
};

/** Names that say nothing by themselves, and links of one name that lead to several places from the same words. */
export function judgeNames(all: readonly Named[]): NameFault[] {
  const faults = all.flatMap(({ id, kind, name, around, target }): NameFault[] => {
    const { rule, saysNothing, says } = tests[kind];
    // In a list of types, "Link" is what Link.html is about.
    if (kind === "link" && /^\p{Lu}/u.test(name) && target.endsWith(`/${name}.html`)) return [];
    const plain = name.replace(/[\s….:»›>→]+$/u, "").trim();
    const review = kind !== "title" || !TEMPLATES.test(plain);
    return saysNothing(plain, around) ? [{ rule, id, review, summary: `"${short(plain)}" ${says}.` }] : [];
  });
  return [...faults, ...sameNames(all)];
}

/** Links that nobody can tell apart: of the same name, among the same words, and to different places. */
function sameNames(all: readonly Named[]): NameFault[] {
  const links = all.filter(({ kind, name, target }) => kind === "link" && name !== "" && target !== "");
  // In any order: of two links in one sentence each has the other one beside it.
  const wordsOf = (text: string): string => text.toLowerCase().split(" ").toSorted().join(" ");
  const groups = Map.groupBy(links, ({ name, context }) => [name.toLowerCase(), ...context.map(wordsOf)].join("\n"));
  return [...groups.values()].flatMap((group) => {
    const targets = [...new Set(group.map(({ target }) => target))];
    const [first, second] = [group[0], group.find(({ target }) => target !== targets[0])];
    if (!first || !second) return [];
    const summary = `Another link is named "${short(first.name)}" in the same words, and leads to ${end(first.target)} instead of ${end(second.target)}.`;
    return [{ rule: "sv-link-purpose", id: second.id, review: true, summary }];
  });
}

/** The part of an address in which two of a site differ. */
function end(address: string): string {
  return address.length > 60 ? `…${address.slice(-59)}` : address;
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
