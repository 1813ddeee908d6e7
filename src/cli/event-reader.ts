/** The fields of a server-sent event that `check` reads. */
export type StreamEvent = { event: string; data: string; id: string };

/**
 * Parses server-sent events as they arrive, skipping comments and events without a name.
 *
 * @see HTML Standard, 9.2.6 Interpreting an event stream
 */
export async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  let text = "";
  let fields = new Map<string, string>();
  for await (const chunk of body) {
    text += chunk;
    // A CR at the end may be the first half of CRLF.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") addField(fields, line);
      else {
        const field = (name: string) => fields.get(name) ?? "";
        if (field("event") !== "") yield { event: field("event"), data: field("data"), id: field("id") };
        fields = new Map();
      }
    }
  }
}

function addField(fields: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  const before = fields.get(name);
  fields.set(name, name === "data" && before !== undefined ? `${before}\n${value}` : value);
}
