import { members, type Properties } from "./parts.ts";

/** What is around the resources of a document. */

export const url = { type: "string", format: "uri" } as const;
const maybeUrl = { type: ["string", "null"], format: "uri" } as const;

export const jsonapi = members({ version: { type: "string", const: "1.0" } });

/** The links of a list with page numbers. */
export const pageLinks = members(
  { self: url, first: url, prev: maybeUrl, next: maybeUrl, last: url },
  { description: "Links to this page and other pages of the list; they keep the request's other parameters." },
);

/** @param more members that only this list has */
export function pageMeta<const More extends Properties>(more: More) {
  return members({
    total: { type: "integer", minimum: 0, description: "Entries on all pages." },
    page_size: {
      type: "integer",
      minimum: 1,
      description: "Entries per page, here and in the links. Fewer than page[size] when entries are large.",
    },
    ...more,
  });
}

/** The links of a list that has a cursor instead of page numbers. */
export const cursorLinks = members(
  { self: url, first: url, next: maybeUrl },
  { description: "Follow next until it is null. Links keep the request's other parameters." },
);

/** @param more members that only this list has */
export function cursorMeta<const More extends Properties>(more: More) {
  return members({
    page_size: {
      type: "integer",
      minimum: 1,
      description: "Entries per page. A page of large entries has fewer.",
    },
    ...more,
  });
}

/** Of the response to a call of a deploy hook. */
export const runMeta = members({
  queued: { type: "boolean", description: "true: the report starts when the running one has ended." },
  badge_url: { type: ["string", "null"], description: "A picture of the report's result." },
});

/** An error of a response with this status. */
export function errorObject(status: string, codes: readonly string[]) {
  return members(
    {
      status: { type: "string", const: status },
      code: { type: "string", enum: codes, description: "Stable, for programs." },
      title: { type: "string", description: "The kind of error." },
      detail: { type: "string", description: "What was wrong, what was received, and what is allowed." },
      source: {
        description: "Where in the request the error is.",
        anyOf: [
          members({ pointer: { type: "string", description: "JSON pointer into the body." } }),
          members({ parameter: { type: "string", description: "Name of the query parameter." } }),
          members({ header: { type: "string", description: "Name of the header." } }),
        ],
      },
    },
    { optional: ["source"] },
  );
}
