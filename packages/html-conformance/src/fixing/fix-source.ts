import { type ByPlace, errorsByPlace, moreThan } from "../messages/by-place.ts";
import { LIKELY_MISTAKE, type Message } from "../messages/message.ts";
import { applied, type Edit, type Fix } from "../repair/edits.ts";
import { type SafeKind, safeKindOf } from "./safe-kinds.ts";

/** A change that was made. Its title has the place in the document as it was then. */
export type MadeFix = { kind: SafeKind; title: string };

export type Fixed = {
  source: string;
  made: MadeFix[];
  /** What is left to mend. */
  messages: readonly Message[];
};

/** The messages of a source; "fixes" also looks for changes. */
export type CheckSource = (source: string, causes: "fixes" | false) => Promise<readonly Message[]> | readonly Message[];

/** A change may bring to light what it hid. */
const MAX_ROUNDS = 5;

/**
 * Makes the changes of safe kinds. The result is checked: a change without which there is an error less, or which brings one,
 * is not made.
 */
export async function fixSource(original: string, check: CheckSource): Promise<Fixed> {
  let source = original;
  let messages = await check(source, "fixes");
  const made: MadeFix[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const changes = messages.flatMap(({ fix }) => {
      const kind = fix && safeKindOf(source, fix);
      return kind ? [{ fix: inLinesOf(source, fix), kind }] : [];
    });
    const chosen = await thatHelp(source, messages, changes, check);
    if (chosen.length === 0) break;
    source = applied(source, editsOf(chosen)).source;
    made.push(...chosen.map(({ kind, fix: { title } }) => ({ kind, title })));
    messages = await check(source, "fixes");
  }
  return { source, made, messages };
}

type Change = { fix: Fix; kind: SafeKind };

/** All changes together, if that helps; otherwise those that help one after the other. */
async function thatHelp(
  source: string,
  messages: readonly Message[],
  changes: readonly Change[],
  check: CheckSource,
): Promise<readonly Change[]> {
  const before = errorsIn(source, messages);
  const errorsAfter = async (some: readonly Change[]) => {
    const copy = applied(source, editsOf(some));
    return errorsIn(copy.source, await check(copy.source, false), copy.offsetIn);
  };
  const together = withoutOverlaps(changes);
  if (together.length === 0 || isBetter(before, await errorsAfter(together))) return together;
  const helping: Change[] = [];
  let least = before;
  for (const change of together) {
    const after = await errorsAfter([...helping, change]);
    if (!isBetter(least, after)) continue;
    helping.push(change);
    least = after;
  }
  return helping;
}

/** Changes that touch none before them. */
function withoutOverlaps(changes: readonly Change[]): Change[] {
  const kept: Change[] = [];
  for (const change of changes) {
    const edits = change.fix.edits;
    const isFree = kept.every(({ fix }) =>
      fix.edits.every((one) => edits.every(({ start, end }) => end < one.start || start > one.end)),
    );
    if (isFree) kept.push(change);
  }
  return kept;
}

function editsOf(changes: readonly Change[]): Edit[] {
  return changes.flatMap(({ fix }) => [...fix.edits]).toSorted((a, b) => a.start - b.start);
}

/** What is there without a search for causes, too. */
function errorsIn(source: string, messages: readonly Message[], offsetIn?: (offset: number) => number): ByPlace {
  const plain = messages.filter(({ rule }) => rule !== LIKELY_MISTAKE);
  return errorsByPlace(source, plain, offsetIn);
}

function isBetter(before: ByPlace, after: ByPlace): boolean {
  return moreThan(after, before).size === 0 && moreThan(before, after).size > 0;
}

/** A change with the line ends of its document. */
function inLinesOf(source: string, fix: Fix): Fix {
  const end = /\r\n?|\n/.exec(source)?.[0] ?? "\n";
  if (end === "\n") return fix;
  return { ...fix, edits: fix.edits.map((edit) => ({ ...edit, text: edit.text.replace(/(?<!\r)\n/g, end) })) };
}
