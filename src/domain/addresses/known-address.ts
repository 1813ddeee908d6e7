import type { ExclusionReason, Failure } from "../failure.ts";

/** What a request for an address gave. */
export type Answer = {
  /** Without fragment. */
  url: string;
  /** null when there was no response, and when a document led on by itself. */
  status: number | null;
  /** Where it redirects to, with the fragment that the redirect names, if it names one. */
  location: string | null;
  failure: Failure | null;
};

/** What a report knows of an address without requesting it. */
export type KnownAddress = {
  /** It is a page of the report. */
  page?: { fetched: boolean; status: number | null; failure: Failure | null };
  /** It is none, and why. */
  excluded?: ExclusionReason;
  answer?: Answer;
};
