/** An event of a stream, as far as `check` reads them. */
export type StreamEvent = { event: string; data: string; id: string };

/** The server-sent events in a body, as they come; comments are left out. */
export async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  let text = "";
  for await (const chunk of body) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? "";
      const event = field("event");
      if (event !== "") yield { event, data: field("data"), id: field("id") };
    }
  }
}
