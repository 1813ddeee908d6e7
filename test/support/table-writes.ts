/** A statement in a source that writes rows of a table. */
export type TableWrite = {
  verb: "insert" | "update" | "merge";
  /** Those that an update sets; undefined for other statements, and when the source does not name all of them there. */
  columns: string[] | undefined;
  /** Its beginning. */
  text: string;
};

const BUILDER = /\b(insert|update|merge)(?:Into|Table)\(/g;
const STATEMENT = /\b(insert|update|merge)(?:\s+into)?\s+(?:only\s+)?((?:"?\w+"?\.)?"?\w+"?|\$\{|["'`]\s*\+)/gi;
const SET = /^\s*(?:(?:as\s+)?"?\w+"?\s+)?set\b/i;

/** The statements of a source that write a table, and those of which the source does not say which table they write. */
export function writesOf(table: string, source: string): TableWrite[] {
  const written = (verb: string, index: number, columns?: string[]): TableWrite => ({
    ...{ verb: verb.toLowerCase() as TableWrite["verb"], columns },
    text: source.slice(index, index + 60).split("\n")[0] ?? "",
  });
  const isTable = (name: string | undefined): boolean =>
    name === undefined || new RegExp(`^(?:"?\\w+"?\\.)?"?${table}"?$`, "i").test(name);
  const built = [...source.matchAll(BUILDER)].flatMap(({ 0: call, 1: verb = "", index }) => {
    const { parts, end } = argumentsOf(source, index + call.length);
    const [, name] = /^["'`]([^"'`$]+?)(?:\s+as\s+\w+)?["'`]$/.exec(parts[0] ?? "") ?? [];
    if (!isTable(name)) return [];
    return written(verb, index, verb === "update" && name !== undefined ? columnsOfChain(source, end) : undefined);
  });
  const inSql = [...source.matchAll(STATEMENT)].flatMap(({ 0: start, 1: verb = "", 2: name = "", index }) => {
    if (!isTable(/\w/.test(name) ? name : undefined)) return [];
    const rest = source.slice(index + start.length);
    const [set] = SET.exec(rest) ?? [];
    return written(
      verb,
      index,
      set === undefined || !/\w/.test(name) ? undefined : columnsOfSql(rest.slice(set.length)),
    );
  });
  return [...built, ...inSql];
}

/** The columns that a chain of calls sets, such as `.set({ phase }).where(…).execute()`; one that is not executed there may get more. */
function columnsOfChain(source: string, at: number): string[] | undefined {
  const columns: string[] = [];
  let last = "";
  for (let end = at; ; ) {
    const [start, name = ""] = /^\s*\.([\w$]+)(?:<[^(]*>)?\(/.exec(source.slice(end)) ?? [];
    if (start === undefined) break;
    const { parts, end: after } = argumentsOf(source, end + start.length);
    const set = name === "set" ? columnsOfSet(parts) : name.startsWith("$") ? undefined : [];
    if (!set) return undefined;
    columns.push(...set);
    last = name;
    end = after;
  }
  return last.startsWith("execute") && columns.length > 0 ? columns : undefined;
}

/** The columns of `{ phase, updated_at: now }` or `"phase", phase`. */
function columnsOfSet(parts: readonly string[]): string[] | undefined {
  const [first = "", ...more] = parts;
  if (more.length > 0) return allOf([/^["'](\w+)["']$/.exec(first)?.[1]]);
  if (!first.startsWith("{")) return undefined;
  return allOf(argumentsOf(first, 1).parts.map((member) => /^["']?(\w+)["']?\s*(?::|$)/.exec(member)?.[1]));
}

/** The columns of `phase = 'Failed', updated_at = now() where …`. */
function columnsOfSql(text: string): string[] | undefined {
  let statement = withoutValues(text);
  for (let before = ""; before !== statement; ) {
    before = statement;
    statement = statement.replace(/\([^()]*\)/g, "#");
  }
  const [assignments = ""] = statement.replace(/\bdistinct\s+from\b/gi, "").split(/\)|\b(?:where|from|returning)\b/i);
  return allOf(
    assignments.split(",").map((part) => {
      const [start, column] = /^\s*"?(\w+)"?\s*=/.exec(part) ?? [];
      // What follows a value without an operator may be more assignments.
      const hasMore = /[\w#$"]\s*\$/.test(part.slice(start?.length).replace(/\b(?:when|then|else|and|or)\b/gi, "+"));
      return hasMore ? undefined : column;
    }),
  );
}

/** SQL up to the end of its template, without comments, with `$` for each value. */
function withoutValues(text: string): string {
  let rest = "";
  for (let at = 0; at < text.length && text[at] !== "`"; at += 1) {
    const start = at;
    if (text.startsWith("--", at)) at = text.indexOf("\n", at);
    else if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if (text[at] === "'") at = endOfString(text, at);
    else if (text.startsWith("${", at)) {
      at = argumentsOf(text, at + 2).end - 1;
      rest += "$";
    }
    if (at < start) break;
    if (at === start) rest += text[at];
    else if (text[start] === "'") rest += "#";
  }
  return rest;
}

function allOf(columns: readonly (string | undefined)[]): string[] | undefined {
  const known = columns.filter((column) => column !== undefined);
  return known.length === columns.length ? known : undefined;
}

/** What stands between commas, from behind an opening bracket to the one that closes it, and the place behind that. */
function argumentsOf(source: string, from: number): { parts: string[]; end: number } {
  const parts = [""];
  let depth = 0;
  let at = from;
  for (; at < source.length; at += 1) {
    const char = source[at] ?? "";
    const start = at;
    if (source.startsWith("//", at)) at = source.indexOf("\n", at);
    else if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1;
    if (at !== start) continue;
    if (/["'`]/.test(char)) at = endOfString(source, at);
    else if (/[([{]/.test(char)) depth += 1;
    else if (/[)\]}]/.test(char)) depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && char === ",") parts.push("");
    else parts.push(`${parts.pop()}${source.slice(start, at + 1)}`);
  }
  return { parts: parts.map((part) => part.trim()).filter((part) => part !== ""), end: at + 1 };
}

/** The place of the quote that closes the one at `from`. */
function endOfString(source: string, from: number): number {
  let at = from + 1;
  for (; at < source.length && source[at] !== source[from]; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[from] === "`" && source.startsWith("${", at)) at = argumentsOf(source, at + 2).end - 1;
  }
  return at;
}
