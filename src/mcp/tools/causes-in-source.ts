import { beginOf, isNote, type Message, mistakesIn, severityOf } from "html-conformance/messages";
import { plural } from "../../domain/plural.ts";
import { type Entry, small, text } from "../answer.ts";
import { textEdits } from "../text-edits.ts";

/** What was found in a source: each mistake once, the worst first. */
export type SourceResult = {
  errors: number;
  warnings: number;
  /** Errors that follow from others are not among them. */
  causes: Entry[];
};

/** @param where what each entry begins with, such as its file */
export function sourceResult(source: string, messages: readonly Message[], where: Entry = {}): SourceResult {
  const found = messages.filter((message) => !isNote(message));
  const causes = mistakesIn(messages).toSorted(
    (a, b) => rank(a.message) - rank(b.message) || b.consequences - a.consequences,
  );
  const errors = found.filter(({ type }) => type === "error").length;
  return {
    errors,
    warnings: found.length - errors,
    causes: causes.map(({ message, consequences }) => entryOf(source, message, consequences, where)),
  };
}

function rank({ type }: Message): number {
  return type === "error" ? 0 : 1;
}

function entryOf(source: string, message: Message, follow: number, where: Entry): Entry {
  const { extract, fix } = message;
  const { line, column } = beginOf(message);
  const entry = {
    ...where,
    severity: severityOf(message),
    rule: text(message.rule),
    at: `${line}:${column}`,
    message: text(message.message),
    extract: text(extract, 120),
    ...(follow > 0 && { consequences: follow }),
    ...(fix && { fix: { title: text(fix.title), removes: fix.removes, edits: textEdits(source, fix.edits) } }),
  };
  return small(entry, "fix", { title: text(fix?.title), left_out: "Its edits are larger than an answer." });
}

/** "12 errors and 1 warning, by 3 causes." */
export function countsText(results: readonly SourceResult[]): string {
  const sum = (of: (result: SourceResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const [errors, warnings, causes] = [sum((r) => r.errors), sum((r) => r.warnings), sum((r) => r.causes.length)];
  if (errors + warnings === 0) return "No errors and no warnings.";
  return `${plural(errors, "error")} and ${plural(warnings, "warning")}, by ${plural(causes, "cause")}; each cause is listed once, without what follows from it.`;
}

export const HOW_TO_FIX =
  "A fix was tried in a copy of the source: its errors are gone there and none is new. Each edit replaces old at line and column by new; apply those of one file from the last to the first. Where there is no fix, only a person may know the right value: ask, do not invent it. verify_fix tries edits of your own.";
