import { a11y } from "./a11y/manifest.ts";
import { html } from "./html/manifest.ts";

const manifests = { html, a11y } as const;

/** As in tables, exports and the names of the API. */
export type CheckKind = keyof typeof manifests;
type Manifest = (typeof manifests)[CheckKind];

/** In the order in which results are shown. */
export const checkKinds = Object.keys(manifests) as CheckKind[];

export function manifestOf(kind: CheckKind): Manifest {
  return manifests[kind];
}

/** The settings of a report that say which checks it performs. */
export type Performs = Record<Manifest["settings"]["perform"], boolean>;

export function performedKinds(spec: Performs): CheckKind[] {
  return checkKinds.filter((kind) => spec[manifestOf(kind).settings.perform]);
}
