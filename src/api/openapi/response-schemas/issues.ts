import { type CheckKind, type Manifests, manifestOf, type Noun, namedByKind, nounOf } from "../../../checks/kinds.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { roleCounts, stateCounts } from "./comparison-parts.ts";
import {
  count,
  guides,
  type Members,
  members,
  numericId,
  orNull,
  type ResourceSchema,
  timestamp,
  uuid,
} from "./parts.ts";
import { title } from "./rules.ts";
import { standardAttributes } from "./standards.ts";

const position = { type: "integer" } as const;

export const coordinates = members(
  {
    first_line: { ...position, minimum: 1 },
    last_line: { ...position, minimum: 1 },
    first_column: { type: ["integer", "null"], description: "null when the issue is about a whole line." },
    last_column: position,
    hilite_start: { ...position, minimum: 0, description: "Offset of the part to highlight in extract." },
    hilite_length: { ...position, minimum: 0 },
  },
  { description: "The position in the source; lines and columns count from 1." },
);

const pixels = { type: "integer", minimum: 0 } as const;

export const box = orNull(
  members(
    { x: pixels, y: pixels, width: { ...pixels, minimum: 1 }, height: { ...pixels, minimum: 1 } },
    {
      description:
        "Where the element was on the page when it was judged, in CSS pixels from the top left corner of the document. Multiplied by the web page's screenshot_size.scale it is the place in the screenshot, which may not reach that far. null for an element that is hidden, takes no room, or is in a frame that is turned or scaled.",
    },
  ),
);

const colour = (what: string) => ({ type: ["string", "null"], pattern: "^#[0-9a-f]{6}$", description: what }) as const;
export const contrast = orNull(
  members(
    {
      ratio: { type: ["number", "null"], description: "Rounded down to hundredths; null where a colour is not known." },
      required: { type: "number", description: "The least that the text needs by its size and weight." },
      foreground: colour("Of the text, as it is seen; null where unknown."),
      background: colour("Behind the text; null where unknown."),
      shadow: colour("Of a text shadow, which may count in place of one of the others; null without one."),
      font_size: { type: "number", description: "In CSS pixels." },
      font_weight: { type: "string", enum: ["normal", "bold"] },
    },
    { description: "What was measured of the text's contrast; null for findings about anything else." },
  ),
);

const line = { type: "integer", minimum: 1 } as const;

export const causedBy = orNull(
  members(
    { rule: { type: "string" }, first_line: line, first_column: line },
    {
      description:
        "The finding of the same page that this one only follows from, by its rule and its place in the source: it goes when that one is mended. null for what is a fault of its own.",
    },
  ),
);

export const fix = orNull(
  members(
    {
      title: { type: "string", description: 'What is done: insert " at 12:34.' },
      removes: { ...count, description: "How many findings of the page go with it." },
      edits: {
        type: "array",
        description: "In the order of the source, without overlaps. Columns count UTF-16 code units.",
        items: members({
          start_line: line,
          start_column: line,
          end_line: line,
          end_column: { ...line, description: "Behind the last character that is replaced; the start, if none is." },
          text: { type: "string", description: "What is put there." },
        }),
      },
    },
    {
      description:
        "A change of the page's source that was tried in a copy: then this finding and what follows from it are gone, and no other is new. null where none is known.",
    },
  ),
);

export const fingerprint = {
  type: "string",
  pattern: "^[0-9a-f]{20}$",
  description: "The same for the same fault in every run, even on another host.",
} as const;
const selector = {
  type: "string",
  description:
    "The element's names, ids and classes and those of its nearest ancestors, without positions: what a muting's selector is compared with. Missing in findings about the document.",
} as const;
const times = { inserted_at: timestamp("When it was first found."), updated_at: timestamp("When it last changed.") };
const onReport = { ...count, description: "Occurrences on the report's pages, without muted ones." };
const onPage = {
  ...count,
  description: "Affected elements on the page, without muted ones; all of them for an issue that is muted as a whole.",
};
const numPages = { ...count, description: "Pages with occurrences that how_many counts." };
const issueRoles = roleCounts(
  "The roles of the elements that how_many counts; null until the report has ended, and with filter[path].",
);
const compared = {
  states: stateCounts(
    ownStates,
    "Elements by state, without muted ones, compared with the report before it. null with filter[path], too.",
  ),
  first_seen_at: timestamp(
    "When the oldest of its elements was first found, in this report or in those before it without a break.",
  ),
};
const truncated = {
  type: "boolean",
  description:
    "Whether more elements are affected than html lists: how_many counts all. A longer text ends with an ellipsis.",
} as const;
const reportId = { ...uuid, description: "The report that it belongs to." };

/** What an element of an issue may have besides its source and what identifies it. */
const elementProperties = {
  coordinates,
  target: { type: "string", description: "CSS selector; the path into frames is joined with >>>." },
  failure_summary: { type: "string", description: "What to fix." },
  box,
  contrast,
  caused_by: causedBy,
  fix,
} as const;

type Description<Kind extends CheckKind> = Manifests[Kind]["issues"];
type Flat<Properties> = { [Name in keyof Properties]: Properties[Name] };
type OfKind<Kind extends CheckKind> = Description<Kind>["attributes"] &
  (Manifests[Kind]["hasStandards"] extends true ? typeof standardAttributes : unknown);

/** The attributes of an issue that depend on its kind. */
function ofKind(kind: CheckKind) {
  const { issues, hasStandards } = manifestOf(kind);
  return { ...issues.attributes, ...(hasStandards && standardAttributes) };
}

const ofReport = { title, how_many: onReport, num_pages: numPages, roles: issueRoles, ...compared, ...guides } as const;
type CommonIssue<Kind extends CheckKind> = Flat<
  { report_id: typeof reportId } & OfKind<Kind> &
    typeof ofReport &
    (Description<Kind>["commonHasTimes"] extends true ? typeof times : unknown)
>;

function commonIssue<Kind extends CheckKind>(kind: Kind) {
  const { name, issues } = manifestOf(kind);
  const attributes = { report_id: reportId, ...ofKind(kind), ...ofReport, ...(issues.commonHasTimes && times) };
  return {
    description: `One kind of ${name} issue in a report.`,
    id: numericId,
    attributes: members(attributes) as unknown as Members<CommonIssue<Kind>>,
    relationships: { always: ["web_pages"] },
  } as const satisfies ResourceSchema;
}

type Element<Kind extends CheckKind> = {
  extract: { type: "string"; description: string };
  fingerprint: typeof fingerprint;
  selector: typeof selector;
} & Pick<typeof elementProperties, Description<Kind>["element"][number]>;
type Optional<Kind extends CheckKind> =
  Description<Kind> extends { optional: readonly (infer Part extends string)[] } ? Part : never;
type PageIssue<Kind extends CheckKind> = Flat<
  OfKind<Kind> & {
    html: {
      readonly type: "array";
      readonly items: Members<Flat<Element<Kind>>, "selector" | Optional<Kind>>;
      readonly description: string;
    };
  } & typeof onOnePage
>;
const onOnePage = { title, how_many: onPage, html_truncated: truncated, ...compared, ...guides, ...times } as const;

function pageIssue<Kind extends CheckKind>(kind: Kind) {
  const { name, issues } = manifestOf(kind);
  const parts = Object.fromEntries(issues.element.map((part) => [part, elementProperties[part]]));
  const element = { extract: { type: "string", description: issues.extract }, ...parts, fingerprint, selector };
  const items = members(element, { optional: ["selector", ...(issues.optional ?? [])] });
  const html = { type: "array", items, description: "The affected elements." } as const;
  return {
    description: `One kind of ${name} issue on one page, with the elements that it is about.`,
    id: numericId,
    attributes: members({ ...ofKind(kind), html, ...onOnePage }) as unknown as Members<PageIssue<Kind>>,
    relationships: { always: ["report", "web_page"] },
  } as const satisfies ResourceSchema;
}

/** The resources of common issues and of a page's issues: two for each kind of check. */
export const issueSchemas = {
  ...namedByKind<{
    readonly [Kind in CheckKind as `common_${Noun<Kind>}_issue`]: ReturnType<typeof commonIssue<Kind>>;
  }>((kind) => [`common_${nounOf(kind)}_issue`, commonIssue(kind)]),
  ...namedByKind<{ readonly [Kind in CheckKind as `${Noun<Kind>}_issue`]: ReturnType<typeof pageIssue<Kind>> }>(
    (kind) => [`${nounOf(kind)}_issue`, pageIssue(kind)],
  ),
} as const;
