import { ownStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { stateCounts } from "./comparison-parts.ts";
import { count, guides, members, numericId, orNull, type ResourceSchema, tags, timestamp, uuid } from "./parts.ts";
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

const htmlKind = {
  issue_type: { type: "string", enum: ["error", "warning"] },
  issue_sub_type: { type: ["string", "null"], description: "The engine's name for the rule." },
  rule: { type: ["string", "null"], description: "The same; null if the engine names none." },
  message: { type: "string", description: "Brief description." },
  help_url: {
    type: ["string", "null"],
    description: "The section of the standard that it is about; null if the engine names none.",
  },
  tags: tags("Categories to filter by."),
} as const;

const a11yKind = {
  rule: { type: "string", description: "axe-core's name for the rule, such as image-alt." },
  help: { type: "string", description: "Brief description by the engine." },
  help_url: { type: "string", description: "Where the engine explains the issue and how to fix it." },
  impact: { type: "string", enum: impacts, description: "How severe it is." },
  impact_order: { type: "integer", minimum: 1, maximum: impacts.length, description: "minor 1 … critical 4." },
  review: { type: "boolean", description: "true for an incomplete result, which a person must review." },
  outside_standard: {
    type: "boolean",
    description:
      "true for a rule that is not of the report's standard: it counts neither as an error nor as a warning.",
  },
  tags: tags("Categories to filter by, such as wcag2aa."),
  ...standardAttributes,
} as const;

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
const compared = {
  states: stateCounts(ownStates, "Elements by state, without muted ones, compared with the report before it."),
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

export const commonHtmlIssue = {
  description: "One kind of HTML issue in a report.",
  id: numericId,
  attributes: members({
    report_id: reportId,
    ...htmlKind,
    how_many: onReport,
    num_pages: numPages,
    ...compared,
    ...guides,
  }),
  relationships: { always: ["web_pages"] },
} as const satisfies ResourceSchema;

export const commonA11yIssue = {
  description: "One kind of accessibility issue in a report.",
  id: numericId,
  attributes: members({
    report_id: reportId,
    ...a11yKind,
    how_many: onReport,
    num_pages: numPages,
    ...compared,
    ...guides,
    ...times,
  }),
  relationships: { always: ["web_pages"] },
} as const satisfies ResourceSchema;

export const htmlIssue = {
  description: "One kind of HTML issue on one page, with the elements that it is about.",
  id: numericId,
  attributes: members({
    ...htmlKind,
    html: {
      type: "array",
      items: members(
        { extract: { type: "string", description: "The source around it." }, coordinates, fingerprint, selector },
        { optional: ["selector"] },
      ),
      description: "The affected elements.",
    },
    how_many: onPage,
    html_truncated: truncated,
    ...compared,
    ...guides,
    ...times,
  }),
  relationships: { always: ["report", "web_page"] },
} as const satisfies ResourceSchema;

export const a11yIssue = {
  description: "One kind of accessibility issue on one page, with the elements that it is about.",
  id: numericId,
  attributes: members({
    ...a11yKind,
    html: {
      type: "array",
      items: members(
        {
          extract: { type: "string", description: "The element's source." },
          target: { type: "string", description: "CSS selector; the path into frames is joined with >>>." },
          failure_summary: { type: "string", description: "What to fix." },
          box,
          fingerprint,
          selector,
        },
        { optional: ["selector"] },
      ),
      description: "The affected elements.",
    },
    how_many: onPage,
    html_truncated: truncated,
    ...compared,
    ...guides,
    ...times,
  }),
  relationships: { always: ["report", "web_page"] },
} as const satisfies ResourceSchema;
