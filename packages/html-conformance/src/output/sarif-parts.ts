/** What all that write SARIF 2.1.0 (OASIS) have in common. */
export const SARIF_SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** A text that may have parts of a page: with neither placeholders nor links (SARIF 2.1.0, sections 3.11.5 and 3.11.6). */
export function sarifText(text: string): string {
  const braces = text.replace(/[{}]/g, "$&$&");
  return braces.includes("](") ? braces.replace(/[[\]\\]/g, "\\$&") : braces;
}

/** The finding that another one follows from. @param location of the cause */
export function sarifCause(rule: string, location: object): object {
  return { ...location, message: { text: sarifText(`It only follows from ${rule} here.`) } };
}

/** A part of a document that is replaced; lines and columns from 1, the end behind the last character. */
type Replaced = { startLine: number; startColumn: number; endLine: number; endColumn: number; text: string };

/** A change as editors apply it: a region of which the end is not part has no characters where something is inserted. */
export function sarifFix(title: string, edits: readonly Replaced[], artifactLocation: { uri: string }) {
  const replacements = edits.map(({ startLine, startColumn, endLine, endColumn, text }) => ({
    deletedRegion: { startLine, startColumn, endLine, endColumn },
    insertedContent: { text },
  }));
  return { description: { text: sarifText(title) }, artifactChanges: [{ artifactLocation, replacements }] };
}
