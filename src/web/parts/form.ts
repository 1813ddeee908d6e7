import { randomBytes } from "node:crypto";
import type { Right } from "../../domain/accounts/roles.ts";
import type { Violation } from "../../schema/violation.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { mayWrite } from "./access.ts";

/** Hidden fields of every form: a token that proves that it is ours, and a key, so that sending it twice acts once. */
export function hiddenFields({ reader }: PageContext): Html {
  if (!reader) return null;
  return [
    html`<input type="hidden" name="csrf" value=${reader.csrf} />`,
    html`<input type="hidden" name="key" value=${randomBytes(9).toString("base64url")} />`,
  ];
}

/** A form with only a button; nothing for people who may only read. */
export function actionForm(
  context: PageContext,
  action: string,
  label: Html,
  more: { quiet?: boolean; fields?: Html; right?: Right } = {},
): Html {
  if (!mayWrite(context, more.right)) return null;
  return html`<form class="action" method="post" action=${context.href(action)}>
    ${hiddenFields(context)} ${more.fields}
    <button class=${more.quiet ? "quiet" : undefined}>${label}</button>
  </form>`;
}

type Control = {
  name: string;
  label: string;
  help?: string | undefined;
  value?: string | undefined;
  required?: boolean;
  /** In a box with its label. */
  boxed?: boolean;
  /** A field of a filter, which need not be marked as optional. */
  bare?: boolean;
  attempt?: Attempt | undefined;
};

type Input = Control & {
  type?: "text" | "url" | "number" | "password" | "date" | "time";
  min?: number;
  max?: number;
  rows?: number;
  /** What was typed is not shown again. */
  secret?: boolean;
};

/** A field with its label, its help and its errors. What was typed is kept, except for secrets such as passwords. */
export function input({
  name,
  label,
  help,
  value,
  required,
  bare,
  attempt,
  type = "text",
  min,
  max,
  rows,
  secret = type === "password",
}: Input): Html {
  const typed = secret ? "" : attempt ? (attempt.fields.get(name) ?? "") : (value ?? "");
  const described = describedBy(name, help, attempt);
  const shared = {
    id: `field-${name}`,
    name,
    required: required || undefined,
    "aria-invalid": described.errors.length > 0 ? "true" : undefined,
    "aria-describedby": described.ids,
    inputmode: { url: "url", number: "numeric" }[type as string],
  };
  const shown = typeFor(type, typed);
  const range = shown === "number" ? { min, max } : {};
  const control =
    rows === undefined
      ? html`<input ...${shared} ...${range} type=${shown} value=${typed} autocomplete=${type === "password" ? "off" : undefined} />`
      : html`<textarea ...${shared} rows=${rows}>${typed}</textarea>`;
  return html`<div class="field">
    <label for=${shared.id}>${label}${required || bare ? null : html` <span class="quiet">(${texts.form.optional})</span>`}</label>
    ${control} ${described.content}
  </div>`;
}

/** A field for a file, which no page shows again. */
export function fileInput({ name, label, help, attempt }: Control): Html {
  const described = describedBy(name, help, attempt);
  return html`<div class="field">
    <label for=${`field-${name}`}>${label}</label>
    <input id=${`field-${name}`} name=${name} type="file" aria-invalid=${described.errors.length > 0 ? "true" : undefined} aria-describedby=${described.ids} />
    ${described.content}
  </div>`;
}

const formats: Readonly<Record<string, RegExp>> = {
  number: /^-?\d+(\.\d+)?$/,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d$/,
};

/** Browsers empty a field whose value does not fit its type: "text" keeps the value, so that it can be corrected. */
function typeFor(type: NonNullable<Input["type"]>, typed: string): string {
  const isOfType = typed === "" || (formats[type]?.test(typed) ?? true);
  return isOfType && type !== "url" ? type : "text";
}

export type Option = { value: string; label: string };

/** @param select.multiple any number of options may be chosen; `value` has them with commas */
export function select({
  name,
  label,
  help,
  value,
  attempt,
  options,
  multiple = false,
}: Control & { options: readonly Option[]; multiple?: boolean }): Html {
  const chosen = attempt
    ? attempt.fields.getAll(name)
    : multiple
      ? (value ?? "").split(/, */).filter((one) => one !== "")
      : [value ?? ""];
  const described = describedBy(name, help, attempt);
  return html`<div class="field">
    <label for=${`field-${name}`}>${label}</label>
    <select
      id=${`field-${name}`}
      name=${name}
      multiple=${multiple || undefined}
      aria-invalid=${described.errors.length > 0 ? "true" : undefined}
      aria-describedby=${described.ids}
    >
      ${withChosen(options, chosen).map(
        (option) =>
          html`<option value=${option.value} selected=${chosen.includes(option.value) || undefined}>${option.label}</option>`,
      )}
    </select>
    ${described.content}
  </div>`;
}

/** Adds a value that is not an option: otherwise browsers would send the first one, and saving would change it. */
function withChosen(options: readonly Option[], chosen: readonly string[]): readonly Option[] {
  const others = chosen.filter((one) => one !== "" && !options.some(({ value }) => value === one));
  return others.length === 0 ? options : [...options, ...others.map((value) => ({ value, label: value }))];
}

type Choices = Control & { options: readonly { value: string; label: Html; what: Html }[] };

/** One of a few values, each explained. "" is none of them. */
export function radios({ value, attempt, ...control }: Choices): Html {
  const chosen = attempt ? attempt.fields.get(control.name) : value;
  return choices("radio", [chosen ?? ""], { ...control, attempt });
}

/** Any number of a few values, each explained. @param control.value those that are ticked, with commas */
export function checkboxes({ value = "", attempt, ...control }: Choices): Html {
  return choices("checkbox", attempt ? attempt.fields.getAll(control.name) : value.split(","), { ...control, attempt });
}

function choices(
  type: "radio" | "checkbox",
  chosen: readonly string[],
  { name, label, attempt, options }: Choices,
): Html {
  const described = describedBy(name, undefined, attempt);
  return html`<fieldset aria-describedby=${described.ids}>
    <legend id=${`field-${name}`} tabindex="-1">${label}</legend>
    <div class=${type === "radio" ? "row" : undefined}>
      ${options.map(
        (option) => html`<label class=${type === "radio" ? "choice" : "choice bare"}>
          <input type=${type} name=${name} value=${option.value} checked=${chosen.includes(option.value) || undefined} />
          <span>${option.label}${type === "checkbox" && " "}<span class="small quiet">${option.what}</span></span>
        </label>`,
      )}
    </div>
    ${described.content}
  </fieldset>`;
}

/** A checkbox. Forms send it only if it is checked. */
export function checkbox({ name, label, help, value, attempt, boxed }: Control): Html {
  const checked = attempt ? attempt.fields.has(name) : value === "true";
  const described = describedBy(name, help, attempt);
  return html`<div class=${boxed ? "field check choice" : "field check"}>
    <input id=${`field-${name}`} type="checkbox" name=${name} value="true" checked=${checked || undefined} aria-describedby=${described.ids} />
    <label for=${`field-${name}`}>${label}</label>
    ${described.content}
  </div>`;
}

function describedBy(name: string, help: string | undefined, attempt: Attempt | undefined) {
  const errors = (attempt?.violations ?? []).filter((violation) => isAbout(violation, name));
  const ids = [help && `help-${name}`, errors.length > 0 && `error-${name}`].filter(Boolean).join(" ") || undefined;
  const content = [
    help && html`<p class="small quiet" id=${`help-${name}`}>${help}</p>`,
    errors.length > 0 &&
      html`<p class="bad error" id=${`error-${name}`}>${errors.map((of, index) => html`${index > 0 && " "}<${Detail} of=${of} />`)}</p>`,
  ];
  return { errors, ids, content };
}

/** What is wrong, in the words that are known when the page is rendered. */
function Detail({ of }: { of: Violation }): Html {
  return of.detail;
}

/** Whether a violation is about a field, or an entry of its list. A member of an object has a name such as `gate.max_errors`. */
function isAbout({ source }: Violation, name: string): boolean {
  if (!source || !("pointer" in source)) return false;
  const path = source.pointer.split("/").slice(3).join(".");
  return path === name || path.startsWith(`${name}.`);
}

/** Whether a form was refused for one of these fields. */
export function isRefusedFor(attempt: Attempt | undefined, names: readonly string[]): boolean {
  return attempt?.violations.some((violation) => names.some((name) => isAbout(violation, name))) ?? false;
}

/** A form for what cannot be undone: its button is hidden behind a sentence that explains it. */
export function confirmForm(
  context: PageContext,
  action: string,
  { summary, what, sure, fields, right }: { summary: string; what: Html; sure: string; fields?: Html; right?: Right },
): Html {
  if (!mayWrite(context, right)) return null;
  return html`<details class="confirm">
    <summary>${summary}</summary>
    <p>${what}</p>
    ${actionForm(context, action, sure, { quiet: true, fields, ...(right && { right }) })}
  </details>`;
}

/** What is wrong with a form, at its top, with links to the fields. It has the focus, so that it is read out. @param names of the form's fields */
export function problems(attempt: Attempt | undefined, names: readonly string[]): Html {
  if (!attempt || attempt.violations.length === 0) return null;
  return html`<div class="card grid close problems" role="alert" tabindex="-1" autofocus>
    <p>${texts.form.problems}</p>
    <ul>
      ${attempt.violations.map((violation) => {
        const field = names.find((name) => isAbout(violation, name));
        const words = html`<${Detail} of=${violation} />`;
        return html`<li>${field ? html`<a href=${`#field-${field}`}>${words}</a>` : words}</li>`;
      })}
    </ul>
  </div>`;
}
