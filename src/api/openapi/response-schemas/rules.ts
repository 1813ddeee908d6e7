import { checkKinds } from "../../../checks/kinds.ts";
import { findingStates, ownStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { roles } from "../../../domain/findings/role.ts";
import { roleCounts, stateCounts } from "./comparison-parts.ts";
import { count, each, guides, members, namesIn, numericId, type ResourceSchema, tags, timestamp } from "./parts.ts";
import { standardAttributes } from "./standards.ts";

/** What people call a rule. */
export const title = {
  type: "string",
  description: "What people call the rule: the title of its guide or, without one, what the engine says.",
} as const;

export const reportRule = {
  description: "The findings of one rule of an engine on the pages of a report.",
  id: { type: "string", pattern: "^[0-9a-f]{32}$" },
  attributes: members({
    kind: { type: "string", enum: checkKinds, description: "The kind of check that found them." },
    rule: { type: ["string", "null"], description: "The engine's name for the rule; null if it names none." },
    title,
    message: {
      type: ["string", "null"],
      description: "What the engine says; null where it says several things, such as the address of each broken link.",
    },
    num_messages: { ...count, description: "So many different things it says." },
    rules: {
      type: "array",
      minItems: 1,
      description:
        "The rules that are this one: itself alone or, with group=topic, those of all engines about the same thing, the one with the most elements first. kind, rule, help_url, the guide and common_issue are those of the first.",
      items: members({
        kind: { type: "string", enum: checkKinds },
        rule: { type: ["string", "null"], description: "The engine's name for it; null if it names none." },
        title,
        message: { type: ["string", "null"], description: "What the engine says; null where it says several things." },
        how_many: { ...count, description: "Its elements that the filters select." },
        common_issue_id: { ...numericId, description: "The common issue of its kind with the most of them." },
      }),
    },
    help_url: { type: ["string", "null"], description: "Where it is explained." },
    tags: tags("Categories to filter by, such as wcag2aa."),
    success_criteria: standardAttributes.success_criteria,
    act_rules: standardAttributes.act_rules,
    issue_type: { type: "string", enum: ["error", "warning"] },
    outside_standard: { type: "boolean", description: "It counts neither as an error nor as a warning." },
    impact: { type: ["string", "null"], enum: [...impacts, null], description: "The worst of its elements." },
    how_many: { ...count, description: "The elements that the filters select." },
    num_pages: { ...count, description: "On so many pages." },
    roles: roleCounts("Their roles; null until the report has ended, and with a filter by path, role or state."),
    states: stateCounts(ownStates, "Them by state. null with a filter by path, role or state, too."),
    first_seen_at: timestamp("When the oldest of them was first found."),
    ...guides,
  }),
  relationships: { always: ["report", "common_issue"] },
} as const satisfies ResourceSchema;

const HOW_MANY_EACH = "How many elements each choice of a filter selects, with all other filters as they are.";
const chosen = (what: string) => ({ ...count, description: `Elements that ${what} would select.` });
/** Members of the meta of the list: what each choice of a filter leads to. */
export const ruleMeta = {
  how_many: { ...count, description: "Elements of all rules of the list." },
  counts: members(
    {
      kind: members(each(checkKinds, (kind) => chosen(`filter[kind]=${kind}`))),
      impact: members(each(impacts, (impact) => chosen(`filter[impact]=${impact}`))),
      issue_type: members(each(["error", "warning"] as const, (type) => chosen(`filter[issue_type]=${type}`))),
      outside_standard: chosen("filter[outside_standard]=true"),
      state: members(each(ownStates, (state) => chosen(`filter[state]=${state}`))),
      role: members(each(namesIn(roles), (role) => chosen(`filter[role]=${role}`))),
      muted: members(each(["true", "false"] as const, (muted) => chosen(`filter[muted]=${muted}`))),
    },
    { description: HOW_MANY_EACH },
  ),
} as const;

/** The same of the list of what changed between two reports. */
export const comparedRuleMeta = {
  how_many: ruleMeta.how_many,
  counts: members(
    {
      issue_type: ruleMeta.counts.properties.issue_type,
      outside_standard: ruleMeta.counts.properties.outside_standard,
      state: members(each(namesIn(findingStates), (state) => chosen(`filter[state]=${state}`))),
    },
    { description: HOW_MANY_EACH },
  ),
} as const;
