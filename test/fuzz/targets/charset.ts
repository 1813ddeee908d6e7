import assert from "node:assert/strict";
import { decodeDocument, encodingOfText } from "html-conformance/documents";
import type { FuzzTarget } from "../target.ts";

/** The first line is the Content-Type, the rest the document. */
export const charset: FuzzTarget = {
  name: "charset",
  seeds: [
    "text/html; charset=utf-8\n<!DOCTYPE html><meta charset=windows-1252><title>\u00e9</title>",
    'text/html\n<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">',
    'application/xhtml+xml\n<?xml version="1.0" encoding="UTF-16"?>',
    Buffer.concat([Buffer.from("text/html\n"), Buffer.from([0xff, 0xfe, 0x3c, 0x00])]),
  ],
  words: [
    "charset=",
    "utf-8",
    "UTF-16LE",
    "iso-2022-jp",
    "gb18030",
    "replacement",
    "x-user-defined",
    "<meta ",
    "<?xml encoding=",
    "\u00ef\u00bb\u00bf",
  ],
  run(input) {
    const end = input.indexOf("\n");
    const contentType = input.subarray(0, Math.max(0, end)).toString("latin1");
    const bytes = input.subarray(end + 1);
    for (const kind of ["html", "xml", "text"] as const) {
      const { source, encoding } = decodeDocument(bytes, contentType, kind);
      assert(source.isWellFormed());
      assert(source.length <= bytes.length * 2 + 1, "no encoding makes more than two code units of a byte");
      assert.equal(encoding.name, encoding.name.toLowerCase());
      assert((encoding.malformed ?? 1) > 0);
      encodingOfText(source, contentType, encoding.name);
    }
  },
};
