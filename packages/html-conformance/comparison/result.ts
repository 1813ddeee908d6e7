import type { Counts, DisagreementClass, Tally } from "./tally.ts";

/** The result as plain data. */
export function resultOf(tally: Tally, about: Record<string, unknown>) {
  const classes = [...tally.classes.values()].sort((a, b) => b.verdicts - a.verdicts || b.count - a.count);
  return {
    ...about,
    total: tally.total(),
    categories: Object.fromEntries([...tally.categories].sort()),
    classes,
    unanswered: tally.unanswered,
  };
}

export type Result = ReturnType<typeof resultOf>;

const share = (part: number, whole: number): string => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(2)} %`);

/** The result as text for people. */
export function print({ total, categories, classes, unanswered }: Result, examples: boolean): string {
  const header = [
    "category",
    "documents",
    "invalid",
    "found",
    "valid",
    "accused",
    "Nu's lines",
    "found",
    "our lines",
    "alone",
  ];
  const rows = Object.entries(categories).map(([name, counts]) => row(name, counts));
  const raw = table([
    header,
    ...rows,
    row("all", total),
    row("all, without what ours is right in", withoutRight(total)),
  ]);
  const failed =
    unanswered.length > 0
      ? [`Nu could not check ${unanswered.length} documents, the first ${unanswered[0]?.where}.`]
      : [];
  return [raw, "", ...failed, ...classes.map((one) => lineOf(one, examples))].join("\n");
}

function row(name: string, counts: Counts): string[] {
  return [
    name,
    String(counts.documents),
    String(counts.invalid),
    share(counts.invalidFound, counts.invalid),
    String(counts.valid),
    share(counts.validAccused, counts.valid),
    String(counts.nuLines),
    share(counts.nuLinesFound, counts.nuLines),
    String(counts.ourLines),
    share(counts.ourLinesAlone, counts.ourLines),
  ];
}

/** Where the agreement is below what is promised, each as a sentence. Documents in which ours follows the standard are left out. */
export function missedTargets({ total }: Pick<Result, "total">): string[] {
  const counts = withoutRight(total);
  const rows: [what: string, part: number, whole: number, holds: (share: number) => boolean, target: string][] = [
    ["of the invalid documents are found", counts.invalidFound, counts.invalid, (is) => is >= 0.97, "at least 97 %"],
    ["of the valid documents are accused", counts.validAccused, counts.valid, (is) => is <= 0.005, "at most 0.5 %"],
    ["of Nu's error lines are found", counts.nuLinesFound, counts.nuLines, (is) => is >= 0.98, "at least 98 %"],
    ["of our error lines are not Nu's", counts.ourLinesAlone, counts.ourLines, (is) => is <= 0.02, "at most 2 %"],
  ];
  return rows.flatMap(([what, part, whole, holds, target]) =>
    whole === 0 || holds(part / whole) ? [] : [`${share(part, whole)} ${what}; it must be ${target}.`],
  );
}

function withoutRight(counts: Counts): Counts {
  return {
    ...counts,
    invalid: counts.invalid - counts.missedRightly,
    valid: counts.valid - counts.accusedRightly,
    validAccused: counts.validAccused - counts.accusedRightly,
    nuLines: counts.nuLines - counts.nuLinesRightly,
    ourLines: counts.ourLines - counts.ourLinesRightly,
    ourLinesAlone: counts.ourLinesAlone - counts.ourLinesRightly,
  };
}

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_cell, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
    )
    .join("\n");
}

function lineOf(
  { class: name, count, verdicts, right, why, section, example }: DisagreementClass,
  examples: boolean,
): string {
  const start = `${count} × (${verdicts} verdicts), right: ${right}: ${name}`;
  const because = why === undefined ? "" : `\n      ${why}${section === undefined ? "" : ` (${section})`}`;
  if (!examples || right === "ours") return start + because;
  const around = example.source
    .split(/\r\n|\r|\n/)
    .slice(Math.max(0, example.line - 3), example.line)
    .join("\n      | ");
  return `${start}${because}\n      ${example.where}, line ${example.line}: ${visible(example.message)}\n      | ${around.slice(0, 600)}`;
}

/** Control characters as a terminal can show them. */
function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{C}\n\t]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
