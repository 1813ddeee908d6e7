/** The values of NDJSON: one JSON text per line (https://github.com/ndjson/ndjson-spec). */
export async function* readLines<Value>(text: AsyncIterable<string>): AsyncGenerator<Value> {
  let rest = "";
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Value;
  }
  if (rest !== "") yield JSON.parse(rest) as Value;
}
