import { type Manifests, manifestOf, namedByKind } from "../checks/kinds.ts";

type Manifest = Manifests[keyof Manifests];
type Settings<Setting extends "perform" | "storeRaw"> = {
  readonly [One in Manifest as One["settings"][Setting]]: {
    readonly type: "boolean";
    readonly description: string;
    readonly default: boolean;
  };
};

/** The settings that say whether checks of each kind are performed, with the defaults of a report or a schedule. */
export function performProperties(resource: "report" | "schedule") {
  return namedByKind<Settings<"perform">>((kind) => {
    const { settings, texts, byDefault } = manifestOf(kind);
    return [settings.perform, { type: "boolean", description: texts.perform, default: byDefault[resource] }];
  });
}

/** The settings that say whether what the engines returned is stored. */
export const storeRawProperties = namedByKind<Settings<"storeRaw">>((kind) => {
  const { settings, texts } = manifestOf(kind);
  return [settings.storeRaw, { type: "boolean", description: texts.storeRaw, default: false }];
});
