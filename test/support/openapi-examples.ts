/** Makes what tests recorded the same in every run: ids and dates by order of appearance, secrets by their kind. */
export function normaliser(): (value: unknown) => unknown {
  const idOf = inOrder((n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);
  const dateOf = inOrder((n) => `2026-01-${String(n).padStart(2, "0")}`);
  const secrets: [RegExp, string][] = [
    [/svt_[\w-]{32}/g, "svt_shown-only-this-once"],
    [/svt_[\w-]{4}…[\w-]{3}/g, "svt_show…nce"],
    [/svg_[\w-]{32}/g, "svg_a-guest-token"],
    [/svi_[\w-]{32}/g, "svi_shown-only-this-once"],
    [/svl_[\w-]{32}/g, "svl_shown-only-this-once"],
    [/whsec_[A-Za-z0-9+/]{32}/g, "whsec_shown-only-this-once"],
    [/whsec_[A-Za-z0-9+/]{2}…[A-Za-z0-9+/]{3}/g, "whsec_sh…nce"],
    [/(\/badges\/\w+\.[0-9a-f-]{36})\.[\w-]{22}/g, "$1.a-signature"],
    [/svh_[\w-]{32}/g, "svh_the-secret-of-the-hook"],
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, "2026-01-31T12:00:00"],
  ];
  const text = (value: string) =>
    secrets
      .reduce((result, [pattern, instead]) => result.replace(pattern, instead), value)
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, idOf)
      .replace(/^\d{4}-\d\d$/, "2026-01")
      .replace(/\/months\/\d{4}-\d\d/, "/months/2026-01")
      .replace(/^\d{4}-\d\d-\d\d$/, dateOf)
      .replace(/in \d+ s\./, "in 42 s.");
  const normalise = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(normalise);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalise(inner)]));
  };
  return normalise;
}

/** Gives each text another one, by when it first appeared. @param name of the nth, from 1 */
function inOrder(name: (n: number) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const given = known.get(text) ?? name(known.size + 1);
    known.set(text, given);
    return given;
  };
}
