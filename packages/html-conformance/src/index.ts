import { type Checker, type CheckOptions, createChecker } from "./engine.ts";
import type { Message } from "./messages/message.ts";

export type { DocumentEncoding } from "./documents/html-document.ts";
export { type Checker, type CheckOptions, createChecker } from "./engine.ts";
export type { PackedGrammar } from "./grammar/packed.ts";
export type { Preset } from "./grammar/preset.ts";
export { isNote, type Message } from "./messages/message.ts";

let shared: Checker | undefined;

/**
 * The errors, warnings and notes of a document, in the order of its source. The first call loads the grammar of the
 * document's language.
 *
 * @throws Error when the package has no grammar, as in a checkout (README.md)
 */
export function check(source: string, options?: CheckOptions): Message[] {
  shared ??= createChecker();
  return shared.check(source, options);
}
