import { a11y } from "./a11y/manifest.ts";
import { html } from "./html/manifest.ts";
import { links } from "./links/manifest.ts";
import type { CheckManifest } from "./manifest.ts";

const manifests = { html, a11y, links } as const satisfies Record<string, CheckManifest>;

export type Manifests = typeof manifests;
/** As in tables, exports and the names of the API. */
export type CheckKind = keyof Manifests;
type Manifest = Manifests[CheckKind];

/** In the order of tables and counters. */
export const checkKinds = Object.keys(manifests) as [CheckKind, ...CheckKind[]];

export function manifestOf(kind: CheckKind): CheckManifest & Pick<Manifest, "settings"> {
  return manifests[kind];
}

export function kindsThat(are: (manifest: CheckManifest) => boolean): CheckKind[] {
  return checkKinds.filter((kind) => are(manifestOf(kind)));
}

/** In the order in which findings are shown: those with an impact first, because the most severe ones are among them. */
export const worstFirst = checkKinds.toSorted(
  (a, b) => Number(manifestOf(b).hasImpact) - Number(manifestOf(a).hasImpact),
);

/** The settings of a report that say which checks it performs. */
export type Performs = Record<Manifest["settings"]["perform"], boolean>;

export function performedKinds(spec: Performs): CheckKind[] {
  return checkKinds.filter((kind) => spec[manifestOf(kind).settings.perform]);
}

/** Whether checks of this kind run on the source of a page. */
export function needsSource(kind: CheckKind): boolean {
  return manifestOf(kind).needs === "source";
}

/** Whether checks of this kind run in a browser. */
export function needsBrowser(kind: CheckKind): boolean {
  return manifestOf(kind).needs === "browser";
}

/** Whether checks of this kind begin when the crawl has ended. */
export function needsCrawl(kind: CheckKind): boolean {
  return manifestOf(kind).needs === "crawl";
}

export const sourceKinds = checkKinds.filter(needsSource);

/** An object with members that are named after the kinds, such as `{ html_check, a11y_check }`. */
export function namedByKind<Named extends object>(
  member: (kind: CheckKind) => readonly [name: keyof Named & string, value: unknown],
): Named {
  return Object.fromEntries(checkKinds.map(member)) as Named;
}

/** The names of kinds as part of a sentence: `HTML and accessibility`. */
export function namesOf(kinds: readonly CheckKind[]): string {
  return new Intl.ListFormat("en-GB").format(kinds.map((kind) => manifestOf(kind).name));
}

export type Noun<Kind extends CheckKind = CheckKind> = Manifests[Kind]["noun"];

/** The kind in the names of its things: `html`, as in `html_issues`. */
export function nounOf<Kind extends CheckKind>(kind: Kind): Noun<Kind> {
  return manifests[kind].noun;
}

/** `Html`, as in names in camel case. */
export function capitalized<Kind extends CheckKind>(kind: Kind): Capitalize<Noun<Kind>> {
  const noun = nounOf(kind);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}` as Capitalize<Noun<Kind>>;
}
