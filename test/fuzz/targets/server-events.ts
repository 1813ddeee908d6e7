import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Response } from "express";
import { createRandom } from "../../../packages/html-conformance/comparison/generator/random.ts";
import { sendEvents } from "../../../src/api/events/event-stream.ts";
import { readEvents } from "../../../src/cli/event-reader.ts";
import type { FuzzTarget } from "../target.ts";

/** What one end writes, the other reads, however the network cuts it. Each line is the text of an event. */
export const serverEvents: FuzzTarget = {
  name: "server-sent events",
  seeds: ["a\nb", "http://example.com/?a=b\u2028c", 'data: {"x":1}\\n\\n', "\r\r"],
  words: ["data: ", "event: ", "id: ", ":", "\r\n", "\u2028", "\u2029", "\u0085", "\ufeff", "\\n\\n", "retry: 1"],
  async run(input) {
    const texts = input.toString("utf8").split("\n");
    const written: string[] = [];
    const response = Object.assign(new EventEmitter(), {
      headersSent: false,
      writableNeedDrain: false,
      status: () => response,
      set() {
        response.headersSent = true;
        return response;
      },
      write: (text: string) => written.push(text) > 0,
      end: () => response,
      destroy: () => response,
    });
    await sendEvents(response as unknown as Response, new AbortController().signal, async (sink) => {
      for (const [number, text] of texts.entries()) {
        await sink.send({ event: "report", data: { text }, id: String(number) });
        await sink.heartbeat();
      }
    });
    const seen: { id: string; text: string }[] = [];
    const random = createRandom(input.length);
    for await (const { id, data } of readEvents(cut(written.join(""), random.below)))
      seen.push({ id, text: JSON.parse(data).text });
    assert.deepEqual(
      seen,
      texts.map((text, number) => ({ id: String(number), text })),
    );
    // And what a stranger writes makes no trouble.
    for await (const event of readEvents(cut(input.toString("utf8"), random.below))) assert.notEqual(event.event, "");
  },
};

async function* cut(text: string, below: (end: number) => number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; ) {
    const length = 1 + below(64);
    yield text.slice(at, at + length);
    at += length;
  }
}
