import { short } from "../../../domain/acting/care/seen.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import type { ShownWorld } from "./shown.ts";
import { pause } from "./tools.ts";

/** How long a page has to say what is wrong. */
const EFFECT_MS = 80;
/** The most findings of a page. */
const MAX_FOUND = 5;

/**
 * What a page says of required fields that are left empty: the walk has left each of them so, and then the browser is asked
 * whether the form is valid, which tells the page and sends nothing. A message must belong to its field.
 */
export async function findFieldErrors(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  if (!(await limit.command(tab.call(main.world, askForms)))) return;
  await limit.command(tab.call(main.world, pause, EFFECT_MS));
  const found = await limit.command(tab.call(main.world, readErrors));
  const faults = found.map(({ id, text, isInvalid }): Fault => {
    const state = isInvalid ? "" : ", and has no aria-invalid";
    const summary = `"${short(text)}" came when this field was left empty, and the field does not refer to it by aria-describedby or aria-errormessage${state}.`;
    return { rule: "sv-field-error", id, review: true, summary };
  });
  await report(walker, main, faults, { most: MAX_FOUND, what: "messages about fields" });
}

/** Runs in the page. @returns whether there are forms with required fields, or the walk has caused messages */
function askForms(): boolean {
  const query = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const required = query("input:required,select:required,textarea:required,[aria-required=true]");
  for (const field of required.slice(0, 100))
    if (field instanceof HTMLInputElement) HTMLInputElement.prototype.checkValidity.call(field);
    else if (field instanceof HTMLSelectElement) HTMLSelectElement.prototype.checkValidity.call(field);
    else if (field instanceof HTMLTextAreaElement) HTMLTextAreaElement.prototype.checkValidity.call(field);
  return required.length > 0;
}

/** Runs in the page: what came to be seen in forms since the page was used, by its field. */
function readErrors(): { id: number; text: string; isInvalid: boolean }[] {
  const { svTools, svShown } = globalThis as unknown as ShownWorld;
  const { idOf, elementOf, attribute } = svTools;
  const fields = [...Document.prototype.querySelectorAll.call(document, "input,select,textarea")].filter(
    (one) => Element.prototype.matches.call(one, ":required,[aria-required=true]") && svTools.isVisible(one),
  );
  const appeared = svShown
    .appeared()
    .filter(({ text, numControls }) => numControls === 0 && text.length > 3 && text.length < 200);
  const seen = new Set<number>();
  return appeared.flatMap(({ id, text }) => {
    const message = elementOf(id);
    if (!message || !Element.prototype.closest.call(message, "form,fieldset,[role=form]")) return [];
    // The field before it, in the order of the page; a summary above all fields has links to them.
    const field = fields.findLast(
      (one) => Node.prototype.compareDocumentPosition.call(one, message) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    if (!field || seen.has(idOf(field))) return [];
    seen.add(idOf(field));
    const ids = ["aria-describedby", "aria-errormessage", "aria-labelledby"].flatMap((name) =>
      attribute(field, name).split(/\s+/),
    );
    const parts = [message, ...Element.prototype.querySelectorAll.call(message, "[id]")];
    const around = Element.prototype.closest.call(message, "[id]");
    const isTold =
      [...parts, ...(around ? [around] : [])].some((one) => ids.includes(attribute(one, "id") || " ")) ||
      Element.prototype.closest.call(message, "label") !== null;
    return isTold ? [] : [{ id: idOf(field), text, isInvalid: attribute(field, "aria-invalid") === "true" }];
  });
}
