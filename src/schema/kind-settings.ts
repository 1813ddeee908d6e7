import { type Manifests, manifestOf, namedByKind } from "../checks/kinds.ts";

type Manifest = Manifests[keyof Manifests];
type Flag = { readonly type: "boolean"; readonly description: string };
type Settings<Setting extends "perform" | "storeRaw", Property> = {
  readonly [One in Manifest as One["settings"][Setting]]: Property;
};

/** The settings that each kind of check has: whether it is performed, and whether its raw results are stored. */
export const performProperties = namedByKind<Settings<"perform", Flag>>((kind) => {
  const { settings, texts } = manifestOf(kind);
  return [settings.perform, { type: "boolean", description: texts.perform }];
});
export const storeRawProperties = namedByKind<Settings<"storeRaw", Flag>>((kind) => {
  const { settings, texts } = manifestOf(kind);
  return [settings.storeRaw, { type: "boolean", description: texts.storeRaw }];
});

/** The same with the defaults of a report or a schedule. */
export function performDefaults(resource: "report" | "schedule") {
  return namedByKind<Settings<"perform", Flag & { readonly default: boolean }>>((kind) => {
    const { settings, texts, byDefault } = manifestOf(kind);
    return [settings.perform, { type: "boolean", description: texts.perform, default: byDefault[resource] }];
  });
}
export const storeRawDefaults = namedByKind<Settings<"storeRaw", Flag & { readonly default: false }>>((kind) => {
  const { settings, texts } = manifestOf(kind);
  return [settings.storeRaw, { type: "boolean", description: texts.storeRaw, default: false }];
});
