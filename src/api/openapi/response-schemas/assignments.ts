import { assignmentStates, heldKinds, holderKinds } from "../../../domain/causes/assignment.ts";
import { count, maybeTimestamp, members, type ResourceSchema, uuid } from "./parts.ts";

/** Members of what says who has something. */
export const holder = {
  assignee: { type: "string", description: "The name of a person, a team, or somebody without access." },
  holder: {
    type: "string",
    enum: holderKinds,
    description: "A person or a team of the account, or no more than a name.",
  },
  person_id: { ...uuid, type: ["string", "null"], description: "null for others, and once the person is removed." },
  team_id: { ...uuid, type: ["string", "null"], description: "null for others, and once the team is removed." },
  is_left: {
    type: "boolean",
    description: "Whether it was a person or team that is removed: nobody is there any more.",
  },
} as const;

const held = {
  ...holder,
  path: { type: ["string", "null"], description: "The section, such as /docs/; null for others." },
  due_on: { type: ["string", "null"], description: "The day by which it is mended, in UTC." },
  note: { type: ["string", "null"], description: "For example a ticket." },
  state: {
    type: "string",
    enum: assignmentStates.filter((state) => state !== "nobody"),
    description:
      "open when somebody has the section or site, and nobody has taken the cause; late when the day is over; done when somebody says so, seen_again when a later report has it still.",
  },
} as const;

/** Who has what, as it stands with a cause or a site. */
export const assignment = (description: string) =>
  members(
    {
      ...held,
      of: {
        type: "string",
        enum: heldKinds,
        description:
          "Of what it is said: of the cause, or of the section or site that it is in. The nearest one holds.",
      },
    },
    { description },
  );

export const assignmentResource = {
  description: "Who has a site, a section of it or a cause.",
  id: uuid,
  attributes: members({
    kind: { type: "string", enum: heldKinds },
    starting_url: { type: "string", description: "The site's." },
    site_name: { type: ["string", "null"], description: "What people call the site." },
    cause_id: { type: ["string", "null"], description: "The id of the cause in reports of the site; null for others." },
    title: { type: ["string", "null"], description: "What the cause was called when that was said; null for others." },
    ...held,
    done_at: maybeTimestamp("When it was said to be done; null before."),
    is_seen: { type: "boolean", description: "Whether the newest report of the whole site has errors of it." },
  }),
  relationships: { always: ["site"], optional: ["report"] },
} as const satisfies ResourceSchema;

export const team = {
  description: "People of an account who can have something together.",
  id: uuid,
  attributes: members({
    name: { type: "string" },
    members: {
      type: "array",
      items: members({ id: uuid, name: { type: "string" } }),
      description: "The people, by name.",
    },
    num_assignments: { ...count, description: "How many sites, sections and causes it has." },
  }),
  relationships: { always: [], optional: ["assignments"] },
} as const satisfies ResourceSchema;

export const assignee = {
  description: "A person or a team of the account, who can have a site, a section or a cause.",
  id: uuid,
  attributes: members({
    kind: { type: "string", enum: ["person", "team"] },
    name: { type: "string" },
    num_members: { ...count, type: ["integer", "null"], description: "How many people a team has; null for a person." },
    mine: { type: "boolean", description: "It is the person who asks, or a team of this person." },
  }),
  relationships: { always: [] },
} as const satisfies ResourceSchema;
