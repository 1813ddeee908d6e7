import type { FindingState } from "../findings/finding-state.ts";
import { titleOfRule } from "../guides/title-of-rule.ts";
import { BYTE_ORDER_MARK, csvLines } from "./csv.ts";
import type { Exported, ExportedFinding, ExportedPage, ExportFormat } from "./exported.ts";

/** What people call a state of a report's own findings. */
const states: Partial<Record<FindingState, string>> = {
  new: "new",
  persisting: "as before",
  new_rule: "new rule",
  unknown: "unknown",
};
const places = { content: "content", template: "template", design: "design" };

type Guides = Awaited<ReturnType<Exported["guides"]>>;
type Row = { page: ExportedPage; finding: ExportedFinding; guides: Guides; guideUrl: Exported["guideUrl"] };

/** The columns by their titles, in their order. */
const columns: Readonly<Record<string, (row: Row) => string | number>> = {
  Page: ({ page }) => page.title ?? "",
  Address: ({ finding }) => finding.page_url,
  "What is wrong": ({ finding, guides }) => titleOfRule(guides, finding),
  Type: ({ finding }) => (finding.outside_standard ? "outside the standard" : finding.issue_type),
  Impact: ({ finding }) => finding.impact ?? "",
  "Who fixes it": ({ finding: { role } }) => (role ? places[role] : ""),
  Element: ({ finding }) => finding.html ?? "",
  Place: ({ finding: { line, target, selector } }) => (line === null ? (target ?? selector ?? "") : `line ${line}`),
  Elements: ({ finding }) => finding.how_many,
  State: ({ finding: { muted, state } }) => (muted ? "muted" : ((state && states[state]) ?? "")),
  "How to fix it": ({ finding: { kind, rule, help_url }, guides, guideUrl }) => {
    const found = rule === null ? undefined : guides.find(kind, rule);
    return (found && guideUrl(kind, found.guide.rule)) ?? help_url ?? "";
  },
};

async function* write({ pages, guides: read, guideUrl }: Exported): AsyncIterable<string> {
  yield BYTE_ORDER_MARK + csvLines([Object.keys(columns)]);
  const guides = await read();
  for await (const page of pages())
    if (page.findings.length > 0)
      yield csvLines(
        page.findings.map((finding) => Object.values(columns).map((cell) => cell({ page, finding, guides, guideUrl }))),
      );
}

/** For people: a few columns, with titles. */
export const sheet: ExportFormat = {
  title: "Sheet",
  description:
    "CSV for people: a few columns with titles, what is wrong in the words of the guides, and where it says how to fix it. Cells are as in CSV.",
  label: "CSV to read",
  extension: "csv",
  mediaType: "text/csv",
  write,
};
