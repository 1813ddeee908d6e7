/** Makes what tests recorded the same in every run: ids and times by order of appearance, secrets by their kind. */
export function normaliser(): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const dates = new Map<string, string>();
  const secrets: [RegExp, string][] = [
    [/svt_[\w-]{32}/g, "svt_shown-only-this-once"],
    [/svg_[\w-]{32}/g, "svg_a-guest-token"],
    [/svl_[\w-]{32}/g, "svl_shown-only-this-once"],
    [/(\/badges\/\w+\.[0-9a-f-]{36})\.[\w-]{22}/g, "$1.a-signature"],
    [/svh_[\w-]{32}/g, "svh_the-secret-of-the-hook"],
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, "2026-01-31T12:00:00"],
  ];
  const text = (value: string) =>
    secrets
      .reduce((result, [pattern, instead]) => result.replace(pattern, instead), value)
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
        const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
        ids.set(id, known);
        return known;
      })
      .replace(/^\d{4}-\d\d$/, "2026-01")
      .replace(/^\d{4}-\d\d-\d\d$/, (date) => {
        const known = dates.get(date) ?? `2026-01-${String(dates.size + 1).padStart(2, "0")}`;
        dates.set(date, known);
        return known;
      })
      .replace(/in \d+ s\./, "in 42 s.");
  const normalise = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(normalise);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalise(inner)]));
  };
  return normalise;
}
