import { a11y } from "./a11y/manifest.ts";
import { html } from "./html/manifest.ts";
import type { CheckManifest } from "./manifest.ts";

const manifests = { html, a11y } as const;

export type CheckKind = keyof typeof manifests;

/** In the order in which results are shown. */
export const checkKinds = Object.keys(manifests) as CheckKind[];

export function manifestOf(kind: CheckKind): CheckManifest {
  return manifests[kind];
}
