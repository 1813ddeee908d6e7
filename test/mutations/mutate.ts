import { parseSync } from "oxc-parser";

/** A change of one operator, condition or constant of a source. Offsets are in UTF-16 units. */
export type Mutation = { start: number; end: number; replacement: string; line: number; what: string };

/** Those that change what is compared or computed, and still compile. */
const others: Record<string, string> = {
  ...{ "===": "!==", "!==": "===", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&&": "||", "||": "&&" },
};

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** All mutations of a TypeScript source. Types, and the names of imports, are left alone. */
export function mutationsOf(file: string, source: string): Mutation[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const found: Mutation[] = [];
  const add = (start: number, end: number, replacement: string) => {
    const line = source.slice(0, start).split("\n").length;
    found.push({ start, end, replacement, line, what: `${source.slice(start, end)} → ${replacement}` });
  };
  visit(program as unknown as Node, (node) => {
    if (node.type === "BinaryExpression" || node.type === "LogicalExpression") {
      const [left, right] = [node.left as Node, node.right as Node];
      const operator = String(node.operator);
      const at = source.indexOf(operator, left.end);
      const other = others[operator];
      // Text is not subtracted.
      const isText = operator === "+" && [left, right].some(isString);
      if (other !== undefined && !isText && at < right.start) add(at, at + operator.length, other);
    }
    if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
      const test = node.test as Node;
      add(test.start, test.end, `!(${source.slice(test.start, test.end)})`);
    }
    if (node.type === "Literal" && typeof node.value === "number")
      add(node.start, node.end, `(${source.slice(node.start, node.end)} + 1)`);
    if (node.type === "Literal" && typeof node.value === "boolean") add(node.start, node.end, String(!node.value));
  });
  return found;
}

function isString(node: Node): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

/** Calls `see` for every node that runs. */
function visit(node: Node, see: (node: Node) => void): void {
  if (/^(TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/.test(node.type)) return;
  see(node);
  for (const [name, value] of Object.entries(node)) {
    // Keys of objects may be numbers.
    if (name === "key" && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === "object" && child !== null && typeof (child as Node).type === "string")
        visit(child as Node, see);
  }
}

/** The files that a source imports, as they are named; types are left out. */
export function importsOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1));
  const named = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
  );
  return [...named, ...exported, ...dynamic].filter((name) => name.startsWith("."));
}
