import { readdirSync, readFileSync } from "node:fs";
import { type DecodedDocument, decodeDocument } from "../../src/documents/index.ts";

/** A small document, and the verdict that the text of a standard gives it. */
export type StandardDocument = {
  /** E for an error, V for a valid one, W for what authors must not write either, but is a warning here (obsolete.ts says why). */
  verdict: "E" | "V" | "W";
  /** The part of the HTML Standard, or of which other one. */
  section: string;
  /** What is not the same in all documents. */
  source: string;
  document: DecodedDocument;
};

const FOLDER = new URL("../standard/", import.meta.url);

/**
 * The documents of all tables of test/standard: a verdict, a section, where the source stands ("document" if it is all
 * of it), the source. sections.tsv goes through the HTML Standard section by section, mostly with a breach and what is
 * almost one.
 */
export function standardDocuments(): StandardDocument[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".tsv"))
    .flatMap((name) => readFileSync(new URL(name, FOLDER), "utf8").trimEnd().split("\n").slice(1))
    .map((line) => {
      const [verdict, section, place, source] = line.split("\t") as [
        StandardDocument["verdict"],
        string,
        keyof typeof PLACES,
        string,
      ];
      return { verdict, section, source, document: PLACES[place](source) };
    });
}

const PLACES = {
  head: (source: string) => around(source, ""),
  body: (source: string) => around("", source),
  document: (source: string): DecodedDocument => decodeDocument(Buffer.from(source), "", "html"),
};

function around(head: string, body: string): DecodedDocument {
  return {
    source: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title>${head}</head><body><h1>H</h1>${body}</body></html>`,
    contentType: "",
  };
}
