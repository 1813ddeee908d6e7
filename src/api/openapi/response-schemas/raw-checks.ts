import { checkKinds, type Manifests, manifestOf } from "../../../checks/kinds.ts";
import { members, numericId, type ResourceSchema } from "./parts.ts";

type Raw = Manifests[keyof Manifests]["raw"]["properties"];
/** The members of all kinds' results. */
type RawProperties = { [Name in Raw extends infer One ? keyof One : never]: Extract<Raw, Record<Name, unknown>>[Name] };
const properties: RawProperties = Object.assign({}, ...checkKinds.map((kind) => manifestOf(kind).raw.properties));

export const rawCheck = {
  description: "An engine's unprocessed output for one page.",
  id: numericId,
  attributes: members({
    kind: { type: "string", enum: checkKinds },
    raw: {
      type: "object",
      description: checkKinds.map((kind) => `${kind}: ${manifestOf(kind).raw.description}`).join(" "),
      properties,
    },
  }),
  relationships: { always: ["web_page"] },
} as const satisfies ResourceSchema;
