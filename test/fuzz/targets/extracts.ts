import assert from "node:assert/strict";
import { createSourceLines, type Message } from "html-conformance/messages";
import { issuesOf } from "../../../src/checker/engines/html/findings.ts";
import { readResponse } from "../../../src/checker/engines/nu/messages.ts";
import type { FuzzTarget } from "../target.ts";

/** The first two characters say where the finding is, the rest is the source; and as a whole, an answer of Nu. */
export const extracts: FuzzTarget = {
  name: "extracts",
  seeds: [
    "\u0005\u0009<p>\r\nabc\u{1f600}def</p>",
    '{"messages":[{"type":"error","lastLine":1,"lastColumn":3,"message":"x","extract":"a<b>c","hiliteStart":1,"hiliteLength":3}]}',
    '{"messages":[{"type":"info","subType":"warning","message":"y","firstLine":2,"lastLine":1}]}',
  ],
  words: [
    "\r\n",
    "\r",
    "\n",
    "\u{1f600}",
    '"hiliteStart":',
    '"hiliteLength":',
    '"extract":"',
    '"lastLine":',
    '"messages":[',
    "-1",
    "1e9",
  ],
  run(input) {
    const [first = 0, second = 0] = input;
    const source = input.subarray(2).toString("utf8");
    const lines = createSourceLines(source);
    const message = {
      type: "error",
      message: source,
      rule: "r",
      section: "",
      ...lines.placeOf(first, second),
    } as Message;
    requireSound(message);
    const { firstColumn, lastColumn, firstLine, lastLine } = message;
    if (source !== "") {
      const from = lines.offsetOf(firstLine ?? lastLine, firstColumn ?? lastColumn);
      assert.equal(from, Math.min(first, source.length - 1), "line and column lead back to the place");
    }
    const answer = readResponse({ status: 200, text: input.toString("utf8"), isCut: (first & 1) === 1 }, "text/html");
    if ("messages" in answer) for (const found of answer.messages) requireSound(found);
  },
};

function requireSound(message: Message): void {
  const { extract, hiliteStart, hiliteLength, firstLine, lastLine, firstColumn, lastColumn } = message;
  assert(
    hiliteStart >= 0 && hiliteLength >= 0 && hiliteStart + hiliteLength <= extract.length,
    "what is meant is in the extract",
  );
  assert(lastLine >= 1 && lastColumn >= 1);
  if (firstLine !== undefined) assert(firstLine >= 1 && firstLine <= lastLine);
  if (firstColumn !== undefined) assert(firstColumn >= 1);
  for (const issue of issuesOf("conformance", [message]))
    for (const { extract: stored, coordinates } of issue.html) {
      assert(!stored.includes("\0") && stored.isWellFormed(), "PostgreSQL can store it");
      assert.equal(stored.length, extract.length);
      assert(coordinates.first_line >= 1 && coordinates.first_line <= coordinates.last_line);
    }
}
