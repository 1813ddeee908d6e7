import type { Attributes } from "../api/documents.ts";
import { number, plural } from "../domain/plural.ts";

/** The part of stderr that showing progress needs. */
export type Screen = { write(text: string): unknown; isTTY?: boolean; columns?: number };

/** Interval of lines without a terminal, where lines cannot be overwritten. */
const LINE_INTERVAL_MS = 5_000;

/** A report's progress in one line. */
export function progressLine(
  { phase, num_pages, checks }: Pick<Attributes<"report">, "phase" | "num_pages" | "checks">,
  notices: Attributes<"progress">["notices"] = [],
): string {
  const total = { pending: 0, checked: 0, failed: 0, issues: 0 };
  for (const check of Object.values(checks)) {
    if (!check) continue;
    total.pending += check.status.pending;
    total.checked += check.status.checked;
    total.failed += check.status.failed;
    total.issues += check.issues.errors + check.issues.warnings;
  }
  const counts = `${number(total.pending)} pending, ${number(total.checked)} checked, ${number(total.failed)} failed`;
  return `${phase}: ${plural(num_pages, "page")} found · checks: ${counts} · ${plural(total.issues, "issue")}${saidSoFar(notices)}`;
}

/** How many addresses were left out because they change something, and that the account could. */
function saidSoFar(notices: Attributes<"progress">["notices"]): string {
  const said = notices.flatMap(({ code, how_many }) => {
    if (code === "acts_left_out") return [` · ${number(how_many)} that change something left out`];
    return code === "account_can_write" ? [" · the account can write"] : [];
  });
  return said.join("");
}

export type Progress = {
  show(line: string, now: number): void;
  /** Ends the progress with its last line and a line break. */
  end(): void;
};

export const noProgress: Progress = { show: () => {}, end: () => {} };

/** Shows one line that is updated on a terminal; elsewhere a line at intervals and the last one. */
export function createProgress(screen: Screen): Progress {
  let last = "";
  let printed = "";
  let printedAt = Number.NEGATIVE_INFINITY;

  return {
    show(line, now) {
      last = line;
      if (screen.isTTY) {
        // A line that wraps cannot be overwritten.
        const fitting = line.slice(0, Math.max(20, (screen.columns ?? 80) - 1));
        if (fitting !== printed) screen.write(`\r\x1b[K${fitting}`);
        printed = fitting;
      } else if (now - printedAt >= LINE_INTERVAL_MS) {
        // Skips the first line, which has only zeros.
        if (printedAt !== Number.NEGATIVE_INFINITY) screen.write(`${line}\n`);
        printed = printedAt === Number.NEGATIVE_INFINITY ? "" : line;
        printedAt = now;
      }
    },
    end() {
      if (screen.isTTY) {
        if (printed) screen.write("\n");
      } else if (last && last !== printed) screen.write(`${last}\n`);
      last = "";
      printed = "";
    },
  };
}
