/** The fields of a server-sent event that `check` reads. */
export type StreamEvent = { event: string; data: string; id: string };

/** Parses server-sent events as they arrive, without comments. */
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
