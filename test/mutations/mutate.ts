import { parseSync } from "oxc-parser";

export const KINDS = ["operator", "condition", "number", "boolean", "text"] as const;

/** A change of one operator, condition or constant of a source. Offsets are in UTF-16 units. */
export type Mutation = {
  kind: (typeof KINDS)[number];
  start: number;
  end: number;
  replacement: string;
  line: number;
  what: string;
};

/** Those that change what is compared or computed, and still compile. */
const others: Record<string, string> = {
  ...{ "===": "!==", "!==": "===", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&&": "||", "||": "&&", "??": "&&" },
};
const isEquality = (operator: unknown) => /^[!=]==?$/.test(String(operator));
/** Of larger numbers, which are limits of time and size, one more is no other decision. */
const MAX_NUMBER = 999;
const LOGS = ["log", "logger", "console"];

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/**
 * All mutations of a TypeScript source.
 *
 * Left alone is what does not run (types, names of imports and of members), and what a mutation would leave as it is, or
 * nearly: numbers from 1,000, what is logged, errors' messages, and texts for people: templates and whatever has a
 * space. A condition that is one `===` or one `!` is not negated, too, since the operator's own mutation does that.
 */
export function mutationsOf(file: string, source: string): Mutation[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const found: Mutation[] = [];
  visit(program as unknown as Node, (node) => {
    for (const change of [...operatorChanges(node, source), ...conditionChanges(node), ...constantChanges(node)]) {
      const { start, end, replacement } = change;
      const line = source.slice(0, start).split("\n").length;
      const [before, after] = [source.slice(start, end), replacement.replace(SAME, () => source.slice(start, end))];
      found.push({ ...change, replacement: after, line, what: `${before} → ${after}` });
    }
  });
  return found;
}

type Change = Pick<Mutation, "kind" | "start" | "end" | "replacement">;

/** In a replacement: what is replaced. */
const SAME = "…";

function operatorChanges(node: Node, source: string): Change[] {
  const { type, start } = node;
  const operator = String(node.operator);
  if (type === "UnaryExpression" && operator === "!")
    return [{ kind: "operator", start, end: start + 1, replacement: "" }];
  const replacement = others[operator];
  if ((type !== "BinaryExpression" && type !== "LogicalExpression") || replacement === undefined) return [];
  // Text is not subtracted.
  if (operator === "+" && isText(node)) return [];
  const at = source.indexOf(operator, (node.left as Node).end);
  return at < (node.right as Node).start
    ? [{ kind: "operator", start: at, end: at + operator.length, replacement }]
    : [];
}

function conditionChanges({ type, test }: Node): Change[] {
  const isLoop = type === "WhileStatement" || type === "ForStatement";
  if (!isLoop && type !== "IfStatement" && type !== "ConditionalExpression") return [];
  if (!test || (test as Node).type === "Literal") return [];
  const { start, end, operator } = test as Node;
  const negated = isEquality(operator) || operator === "!" ? [] : [`!(${SAME})`];
  // A loop without an end tells nothing that its negation does not.
  const always = isLoop ? [] : ["true"];
  return [...negated, ...always, "false"].map((replacement) => ({ kind: "condition", start, end, replacement }));
}

function constantChanges({ type, value, start, end }: Node): Change[] {
  if (type !== "Literal") return [];
  if (typeof value === "number" && value <= MAX_NUMBER)
    return [{ kind: "number", start, end, replacement: `(${SAME} + 1)` }];
  if (typeof value === "boolean") return [{ kind: "boolean", start, end, replacement: String(!value) }];
  const isName = typeof value === "string" && /^(?!\.|node:)\S+$/.test(value);
  return isName ? [{ kind: "text", start, end, replacement: '""' }] : [];
}

function isText(node: Node): boolean {
  if (node.type === "BinaryExpression") return [node.left as Node, node.right as Node].some(isText);
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

/** Calls `see` for every node that runs and that a mutation would change. */
function visit(node: Node, see: (node: Node) => void): void {
  if (/^(TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/.test(node.type)) return;
  if (isMessage(node)) return;
  see(node);
  for (const [name, value] of Object.entries(node)) {
    // Keys of objects may be numbers.
    if (name === "key" && !node.computed) continue;
    // Of an export from another module.
    if (name === "source") continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === "object" && child !== null && typeof (child as Node).type === "string")
        visit(child as Node, see);
  }
}

/** Whether an expression logs or makes an error. */
function isMessage({ type, callee }: Node): boolean {
  if (type === "NewExpression") return /Error$/.test(String((callee as Node).name));
  const of = type === "CallExpression" ? ((callee as Node).object as Node | undefined) : undefined;
  return of !== undefined && LOGS.includes(String(of.name ?? (of.property as Node | undefined)?.name));
}
