import type { HtmlDocument } from "html-conformance/documents";
import type { Message } from "html-conformance/messages";
import type { Guides } from "../domain/guides/guides.ts";
import type { Folders } from "./folders.ts";

/** What tools use. Each is given by the program: on a person's machine, or of the service with the rights of a token. */
export type ToolDeps = {
  /** The findings in a document, with their causes and fixes. @throws UsageError when it cannot be checked */
  checkHtml(document: HtmlDocument, signal: AbortSignal): Promise<Message[]>;
  /** The API, for somebody. */
  api: Api;
  guides: () => Promise<Guides>;
  /** The folders whose files may be read; undefined where there are none, as for a service. */
  folders: Folders | undefined;
  /** @throws UsageError for an address that may not be asked, saying how to allow it */
  requireAllowed(url: string): void;
  /** Reports stay: what a person decides about a finding holds for the next one. */
  keepsReports: boolean;
  /** How long an answer may take, in milliseconds: clients wait for a minute. */
  limitMs: number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/** What clients wait for, with what a busy machine adds. */
export const LIMIT_MS = 35_000;

/** The routes of the API, below `/api/v1`. Their errors are UsageErrors or RequestErrors for what the caller can mend. */
export type Api = {
  get<Document>(path: string, query?: Readonly<Record<string, string>>): Promise<Document>;
  post<Document>(path: string, attributes: Readonly<Record<string, unknown>>): Promise<Document>;
};

/** A tool as clients list it, and what it does. Answers are texts (answer.ts). */
export type Tool = {
  name: string;
  title: string;
  description: string;
  /** The JSON Schema of its arguments. */
  input: { readonly type: "object"; readonly properties: object };
  /** It changes or starts something; all others only read. */
  writes: boolean;
  /** It reaches sites. */
  asksSites: boolean;
  /** Where it is of use; everywhere if left out. */
  isOffered?(deps: ToolDeps): boolean;
  run(args: never, deps: ToolDeps, signal: AbortSignal): Promise<string>;
};

export const from = {
  type: "integer",
  minimum: 1,
  default: 1,
  description: "The first entry to show: an answer has at most 20.",
} as const;

export const reportId = {
  type: "string",
  pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  description: "The id of a report, from check_site or list_reports.",
} as const;
