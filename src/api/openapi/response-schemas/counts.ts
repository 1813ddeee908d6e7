import { type CheckKind, type Manifests, manifestOf } from "../../../checks/kinds.ts";
import { count, type Members, members, type Properties, severity } from "./parts.ts";

const outsideStandard = {
  outside_standard: {
    ...count,
    description: "Findings of rules that are not of the report's standard, without muted ones.",
  },
} as const;
const ofImpact = { severity } as const;

/** These members, and those that counters of a kind have because its rules are of standards, or its findings have an impact. */
type Counted<Kind extends CheckKind, Base> = {
  [Name in keyof (Base & OfStandard<Kind> & OfImpact<Kind>)]: (Base & OfStandard<Kind> & OfImpact<Kind>)[Name];
};
type OfStandard<Kind extends CheckKind> = Manifests[Kind]["hasStandards"] extends true
  ? typeof outsideStandard
  : unknown;
type OfImpact<Kind extends CheckKind> = Manifests[Kind]["hasImpact"] extends true ? typeof ofImpact : unknown;

/** An object of these members and of those that depend on the kind. */
export function counted<Kind extends CheckKind, const Base extends Properties>(
  kind: Kind,
  base: Base,
  options: { description?: string } = {},
) {
  const { hasStandards, hasImpact } = manifestOf(kind);
  const properties = { ...base, ...(hasStandards && outsideStandard), ...(hasImpact && ofImpact) };
  return members(properties, options) as unknown as Members<Counted<Kind, Base>>;
}
