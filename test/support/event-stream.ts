/** An event as a client gets it; comments are events without a name. */
export type ReceivedEvent = { event?: string; id?: string; data?: string; comment?: string };

export type OpenStream = {
  response: Response;
  /** Everything received so far. */
  events: ReceivedEvent[];
  /** Resolves when the stream ends, however that happens. */
  ended: Promise<"ended" | "broken">;
  leave(): void;
};

/** Opens an event stream as any HTTP client would, and reads it until it ends or `leave` is called. */
export async function openStream(url: string, headers: Record<string, string> = {}): Promise<OpenStream> {
  const client = new AbortController();
  const response = await fetch(url, { headers, signal: client.signal });
  const events: ReceivedEvent[] = [];
  return { response, events, ended: read(response, events), leave: () => client.abort() };
}

async function read(response: Response, events: ReceivedEvent[]): Promise<"ended" | "broken"> {
  let text = "";
  try {
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      events.push(...blocks.map(eventOf));
    }
    return "ended";
  } catch {
    return "broken";
  }
}

function eventOf(block: string): ReceivedEvent {
  const fields = block.split("\n").map((line) => {
    const [, name = "", value = ""] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    return [name === "" ? "comment" : name, value];
  });
  return Object.fromEntries(fields);
}
