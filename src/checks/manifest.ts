/** What the service knows of a kind of check besides what runs it (src/checker/runners/). A kind is added by a folder here. */
export type CheckManifest = {
  /** In sentences. */
  name: string;
  /** In names of its things, in the singular: `link` of `links`, whose issues are `link_issues`. */
  noun: string;
  /** The settings of a report that concern this kind alone. */
  settings: {
    /** Whether the report performs these checks. */
    perform: `perform${string}Checks`;
    /** Whether it stores what their engine returned. */
    storeRaw: `storeRaw${string}Checks`;
    /** Which engine it chooses, if there are several. */
    engine?: "htmlEngine";
    /** Whether it keeps results that a person has to review, if the engine has such results. */
    incomplete?: "storeIncompleteChecks";
    /** How far it goes, if it can do more than read what is there. */
    depth?: "a11yDepth";
  };
  /** Whether a report or schedule that does not say so performs them. */
  byDefault: { report: boolean; schedule: boolean };
  /** The names of its engines in guides to their rules. */
  engines: readonly string[];
  /**
   * What it runs on: the source as the crawler has stored it, the page in a browser, or what the whole crawl has found, so
   * that it begins when that has ended.
   */
  needs: "source" | "browser" | "crawl";
  /** Its rules are of accessibility standards: what is outside of the report's standard is not counted. */
  hasStandards: boolean;
  /** Its findings say how severe they are. */
  hasImpact: boolean;
  /**
   * Issues of several pages that are equal in these are one common issue. Without the message, a message is that of its
   * rule; with it, that of an element.
   */
  commonBy: readonly ("issue_type" | "rule" | "message" | "impact_order")[];
  /** How many waiting checks justify one more pod. */
  checksPerPod: number;
  /** Checks that a checker leases in advance, in multiples of those that it runs at once: below `low`, `batch` more. */
  prefetch: { low: number; batch: number };
  issues: IssueDescription;
  raw: RawDescription;
  texts: CheckTexts;
};

/** A JSON Schema as in the OpenAPI document. */
type Schema = Readonly<Record<string, unknown>>;

/** An issue as it is stored, whatever its kind. */
export type StoredIssue = {
  issue_type: "error" | "warning";
  rule: string | null;
  message: string;
  help_url: string | null;
  /** The number of its impact from 1, or null. */
  impact_order: number | null;
  outside_standard: boolean;
  tags: string[];
};

/** How the API shows issues of a kind, besides what all kinds have, such as how many elements there are. */
export type IssueDescription = {
  attributes: Readonly<Record<string, Schema>>;
  /** The values of these attributes. */
  attributesOf: (issue: StoredIssue) => Readonly<Record<string, unknown>>;
  /** The attribute that has the message, by which lists are filtered. */
  text: "message" | "help";
  /** What the extract of an element is. */
  extract: string;
  /** What an element has besides the extract and what identifies it. */
  element: readonly ("coordinates" | "target" | "failure_summary" | "box" | "contrast" | "caused_by" | "fix")[];
  /** What of these an element may lack. */
  optional?: readonly ("coordinates" | "caused_by" | "fix")[];
  /** Whether common issues say when they were found and changed, as those of a page do. */
  commonHasTimes: boolean;
};

/** What an engine returned, as the API shows it. */
export type RawDescription = {
  /** What it is, as part of a sentence. */
  description: string;
  properties: Readonly<Record<string, Schema>>;
};

/** What people read about a kind. */
export type CheckTexts = {
  /** As a title. */
  title: string;
  /** One issue, with its article. */
  anIssue: string;
  /** The descriptions of the settings. */
  perform: string;
  storeRaw: string;
  /** The API's operation for what the engine returned. */
  getRaw: string;
  /** The same as something that can be kept, in a form. */
  raw: string;
  /** The option of the command line, as a verb. */
  check: string;
};
