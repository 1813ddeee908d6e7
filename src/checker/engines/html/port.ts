import type { HtmlDocument } from "html-conformance/documents";
import type { Message } from "html-conformance/messages";
import type { Engine } from "../../../domain/findings/findings.ts";
import type { ElementKey } from "../../../domain/identity/element-key.ts";

/** Whether it is looked for causes ("fixes": also for changes that mend what has no consequences), if the engine can. */
export type Causes = {
  causes?: "fixes" | false;
  /** Whether it is tried which errors are gone in a mended copy (`repaired` in the result), if the engine can. */
  repaired?: boolean;
};

/** A document in a file, which the engine reads itself. */
export type HtmlFile = { file: string; url: string; contentType: string } & Causes;

/** An engine's findings in a document, in the Nu checker's format, or why it failed on this document. */
export type HtmlResult =
  | {
      messages: Message[];
      /** The key of each message's element, in the same order; null for one about the document as a whole. */
      elements: (ElementKey | null)[];
      /** Whether each message is gone in a repaired copy (repair.ts); left out where none is tried. */
      repaired?: boolean[];
      /** The document's language, as it is written in `lang`; left out where it is not known. */
      language?: string;
    }
  | { engineError: string; code?: "engine_error" | "checker_crashed"; deadlineExceeded?: true };

/** The port of engines that check HTML (start-engine.ts). */
export type HtmlEngine = {
  /** Name and version, as reports record them. */
  engine: Engine;
  /** The number of documents at once that keeps it busy. */
  concurrency: number;
  /**
   * Checks one document; with `alone` in a new process, while no other is checked. What goes wrong with this document
   * is an `engineError`; a rejection is a bug, a BrokenEnvironmentError or the signal's reason.
   */
  check(
    document: (HtmlDocument & Causes) | HtmlFile,
    signal: AbortSignal,
    options?: { alone?: boolean },
  ): Promise<HtmlResult>;
  close(): Promise<void>;
};
