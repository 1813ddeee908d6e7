import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { type Icon, icon } from "./icon.ts";

const icons = {
  ...{ collected: "running", waiting: "running", failing: "failed" },
  ...{ delivered: "passed", given_up: "ended", missed: "paused" },
} as const satisfies Record<Attributes<"delivery">["state"], Icon>;

/** What has become of a message, in a word with its drawing. */
export function deliveryState(state: Attributes<"delivery">["state"]): Html {
  return html`${icon(icons[state])} ${texts.deliveries.states[state]}`;
}
