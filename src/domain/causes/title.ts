import type { Guide } from "../guides/guide.ts";
import type { Cause } from "./cause.ts";
import { idIn } from "./cause.ts";
import { elementOf } from "./shape.ts";

const NOUNS: Readonly<Record<string, string>> = {
  a: "A link",
  area: "An area of an image map",
  button: "A button",
  frame: "A frame",
  iframe: "A frame",
  img: "An image",
  input: "A field",
  object: "An embedded object",
  select: "A drop-down list",
  svg: "A drawing",
  textarea: "A text field",
  video: "A video",
};

const REGIONS: Readonly<Record<string, string>> = {
  aside: "beside the main content",
  dialog: "in a dialog",
  footer: "in the footer",
  form: "in a form",
  header: "in the header",
  main: "in the main content",
  nav: "in the navigation",
};

/**
 * The title of a cause: that of the guide to its rule, which names the thing if the guide has a place for one and the
 * thing is known.
 *
 * @param fallback for a rule without a guide
 */
export function titleOfCause(
  guide: Pick<Guide, "title" | "named"> | undefined,
  cause: Pick<Cause, "change" | "place">,
  example: { markup: string; changed?: "foreground" | "background" | undefined; fallback: string },
): string {
  if (!guide) return example.fallback;
  const thing = guide.named === undefined ? undefined : thingOf(cause, example);
  return thing === undefined ? guide.title : (guide.named ?? "").replace("{thing}", () => thing);
}

function thingOf(
  { change, place }: Pick<Cause, "change" | "place">,
  { markup, changed }: { markup: string; changed?: "foreground" | "background" | undefined },
): string | undefined {
  const element = /^[a-z][a-z0-9-]*/i.exec(elementOf(place))?.[0] ?? "";
  if (place.startsWith("#") && changed) return `Text ${changed === "foreground" ? "in" : "on"} ${place}`;
  if (change === "duplicate-id") return idIn(markup) === "" ? undefined : `The ID “${idIn(markup).slice(0, 40)}”`;
  if (change === "moving-text") return element === "" ? undefined : `<${element}>`;
  const noun = NOUNS[element];
  const region = REGIONS[/^[a-z]+/.exec(place)?.[0] ?? ""];
  return noun === undefined
    ? undefined
    : [noun, ...(region === undefined || place.startsWith(element) ? [] : [region])].join(" ");
}
