import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";
import { icon } from "./icon.ts";

/** A text to copy: by a button or, without script, by selecting the field. */
export function copyField({ name, label, value }: { name: string; label: string; value: string }): Html {
  const id = `field-${name}`;
  return html`<div class="field copy">
    <label for=${id}>${label}</label>
    <input id=${id} type="text" readonly value=${value} autocomplete="off" spellcheck="false" />
    <button type="button" class="quiet when-script" data-copy=${id} data-copied=${texts.copy.copied}>${texts.copy.copy}</button>
    <span class="quiet" role="status"></span>
  </div>`;
}

/** A button that copies a text of several lines, for those who have script: the page shows what is in it, too. */
export function copyText({ name, label, text }: { name: string; label: string; text: string }): Html {
  const id = `field-${name}`;
  return html`<span class="when-script">
    <button type="button" class="quiet" data-copy=${id} data-copied=${texts.copy.copied}>${icon("copy")} ${label}</button>
    <textarea id=${id} aria-label=${label} hidden readonly>${text}</textarea>
    <span class="quiet" role="status"></span>
  </span>`;
}

/** Copies the address of the page. Without script there is the browser's own way. */
export function copyLink(): Html {
  return html`<span class="when-script">
    <button type="button" class="quiet" data-copy-link data-copied=${texts.copy.copied}>${texts.copy.copyLink}</button>
    <span class="quiet" role="status"></span>
  </span>`;
}
