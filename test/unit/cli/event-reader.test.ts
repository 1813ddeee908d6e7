import { expect } from "chai";
import { readEvents, type StreamEvent } from "../../../src/cli/event-reader.ts";

describe("the reader of event streams", () => {
  const stream =
    'retry: 2000\n\nid: a1\nevent: report\ndata: {"x":"event: no\\n"}\n\n: still here\n\nevent: end\ndata: {}\n\n';
  const events = [
    { event: "report", data: '{"x":"event: no\\n"}', id: "a1" },
    { event: "end", data: "{}", id: "" },
  ];

  async function read(chunks: Iterable<string>): Promise<StreamEvent[]> {
    const body = (async function* () {
      yield* chunks;
    })();
    const found: StreamEvent[] = [];
    for await (const event of readEvents(body)) found.push(event);
    return found;
  }

  it("returns the events without comments, however the body is split", async () => {
    for (let at = 0; at <= stream.length; at++)
      expect(await read([stream.slice(0, at), stream.slice(at)]), `cut at ${at}`).to.deep.equal(events);
    expect(await read(stream)).to.deep.equal(events);
  });

  it("ends a line only where the HTML Standard does, at CR, LF or both", async () => {
    const data = JSON.stringify({ x: "a\u2028b\u2029c\u0085d" });
    const expected = [{ event: "report", data, id: "" }];
    for (const end of ["\n", "\r\n"]) {
      const text = `event: report${end}data: ${data}${end}${end}`;
      for (let at = 0; at <= text.length; at++)
        expect(await read([text.slice(0, at), text.slice(at)]), `cut at ${at}`).to.deep.equal(expected);
    }
    expect(await read([`event: report\rdata: 1\rdata: 2\r\rdata`])).to.deep.equal([
      { event: "report", data: "1\n2", id: "" },
    ]);
  });

  it("does not return an incomplete event", async () => {
    expect(await read([stream.slice(0, -1)])).to.deep.equal(events.slice(0, 1));
  });
});
