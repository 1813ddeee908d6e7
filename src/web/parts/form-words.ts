import type { Violation } from "../../schema/violation.ts";
import type { Html } from "../html.ts";

/** What the fields of a form are called on its page, by their names. */
export type Labels = ReadonlyMap<string, string>;

type Element = { type?: unknown; props?: { for?: string; id?: string; children?: Html } };

/** The labels in a page, as it shows them: of a field, or of a group of choices. */
export function labelsIn(content: Html): Labels {
  const found = new Map<string, string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) visit(one);
    if (typeof part !== "object" || part === null || Array.isArray(part)) return;
    const { type, props } = part as Element;
    const id = type === "label" ? props?.for : type === "legend" ? props?.id : undefined;
    const text = [props?.children].flat()[0];
    if (id?.startsWith("field-") && typeof text === "string") found.set(id.slice("field-".length), text);
    else visit(props?.children);
  };
  visit(content);
  return found;
}

/**
 * Says of a refused form what is wrong with the words of its page, since nobody there knows the API's names. What was
 * received, in double quotes, stays. A name that is an English word, too, is one only where a message begins.
 */
export function inWordsOfPage(violation: Violation, labels: Labels): string {
  const detail = violation.detail.replace(TOKEN, (token, name: string | undefined, at: number) => {
    const label = name !== undefined && (at === 0 || /[_.]/.test(name)) ? labels.get(name) : undefined;
    return label === undefined ? token : `“${label}”`;
  });
  const label = labelOf(violation, labels);
  const named = label === undefined || detail.includes(label) ? detail : `“${label}”: ${detail}`;
  return plain.reduce((text, [from, to]) => text.replace(from, to), named);
}

/** What the field is called that a message is about, for messages that do not say it. */
function labelOf({ source }: Violation, labels: Labels): string | undefined {
  const path = source && "pointer" in source ? source.pointer.split("/").slice(3) : [];
  return labels.get(path.join(".")) ?? labels.get(path[0] ?? "");
}

/** What schemas say, and what people understand: the form that a text must have is described beside its field. */
const plain: readonly [RegExp, string][] = [
  [/The format is invalid: /, ""],
  [/must be an integer(?=; received)/, "must be a whole number"],
  [/must be an object(?=; received)/, "cannot be read"],
];

/** A text in double quotes, or what may be a name: also with the words with which some messages begin. */
const TOKEN = /"(?:[^"\\]|\\.)*"|(?:^The format is invalid: )?\b([a-z][a-z0-9]*(?:[_.][a-z0-9]+)*)\b/g;
