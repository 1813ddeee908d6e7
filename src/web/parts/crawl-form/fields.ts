import { impacts } from "../../../checks/impacts.ts";
import { settings } from "../../../settings/index.ts";
import type { FormField } from "../../../settings/setting.ts";
import { type Html, html } from "../../html.ts";
import type { Attempt } from "../../page.ts";
import { texts } from "../../texts/en.ts";
import { checkbox, input, isRefusedFor, select } from "../form.ts";
import { icon } from "../icon.ts";
import type { Choices } from "./choices.ts";
import { type CrawlField, fieldsIn, gateNames } from "./names.ts";
import { heldBy, type Values } from "./values.ts";

const t = texts.crawlForm;

type Form = { values: Values; choices: Choices; attempt?: Attempt | undefined };
type Group = FormField["group"];

/**
 * The fields of a report's or schedule's form that define what is crawled and checked: what is always chosen, and groups that
 * say what they hold while they are closed.
 *
 * @param when the fields for when a schedule runs
 * @param more further settings that are rarely changed
 */
export function crawlFields(form: Form, { when = null, more = null, moreNames = [] }: More = {}): Html {
  return html`<section class="card grid" aria-labelledby="what">
      <h2 id="what">${t.what}</h2>
      ${fieldsIn("always").map((field) => (field.path[0] === "standard" ? checksAndStandard(form, field) : control(form, field)))}
    </section>
    ${when && html`<div class="card grid">${when}</div>`}
    ${group(form, { name: t.scope, holds: scopeText(form), names: namesIn("visiting", "browser") }, html`${fieldset(form, "visiting")} ${fieldset(form, "browser")}`)}
    ${group(form, { name: t.steps, holds: stepsText(form), names: namesIn("signIn", "doing") }, html`${controls(form, "signIn")} ${fieldset(form, "doing")}`)}
    ${group(
      form,
      { name: t.results, holds: limitsText(form), names: [...gateNames, ...namesIn("keeping"), ...moreNames] },
      html`${gateFields(form)} ${fieldset(form, "keeping")} ${more}`,
    )}`;
}

type More = { when?: Html; more?: Html; moreNames?: readonly string[] };

function namesIn(...groups: readonly Group[]): string[] {
  return groups.flatMap(fieldsIn).map(({ name }) => name);
}

function fieldset(form: Form, name: Exclude<Group, "always" | "signIn">): Html {
  return html`<fieldset><legend>${t[name]}</legend>${controls(form, name)}</fieldset>`;
}

function controls(form: Form, group: Group): Html {
  return fieldsIn(group).map((field) => control(form, field));
}

/** The kinds of checks, beside the standard of those that have one. */
function checksAndStandard(form: Form, standard: CrawlField): Html {
  return html`<div class="row">${fieldset(form, "checks")} ${control(form, standard)}</div>`;
}

/** The field for a setting: what kind of field it is follows from the setting's schema. */
function control({ values, choices, attempt }: Form, { name, path, schema, form }: CrawlField): Html {
  const { label = "", help, labels = texts.standards } = texts.fields[name] ?? {};
  const field = { name, label, help, value: values[name], attempt };
  const { type, enum: allowed, minimum: min, maximum: max } = schema;
  const multiple = type === "array";
  if (form.choices)
    return select({
      ...field,
      options: choices[form.choices].filter(({ value }) => value !== "" || !multiple),
      multiple,
    });
  if (type === "boolean") return checkbox({ ...field, boxed: form.group === "checks" });
  if (allowed) return select({ ...field, options: allowed.map((value) => ({ value, label: labels[value] ?? value })) });
  const required = path.length === 1 && (type === "integer" || schema.default === undefined);
  if (type === "integer") return input({ ...field, type: "number", min, max, required });
  return input({ ...field, required, ...(form.rows && { rows: form.rows }), ...(required && { type: "url" }) });
}

/** A field of the gate. */
function fieldsOf({ values, attempt }: Form) {
  return (name: string, label: string, help?: string) => ({ name, label, help, value: values[name], attempt });
}

function scopeText(form: Form): string {
  const held = heldBy(form);
  const device = form.choices.devices.find(({ value }) => value === held("device_id"))?.label;
  const rate = Number(held("rate_limit"));
  return [
    held("deep_crawl") === "true" ? t.allLinks : t.firstLinks,
    ...(held("exclusions") + held("exclude_globs") === "" ? [] : [t.leavesOut]),
    ...(device === undefined ? [] : [device]),
    ...(rate > 0 ? [t.perSecond(rate)] : []),
  ].join(", ");
}

function stepsText(form: Form): string {
  const held = heldBy(form);
  const credentials = form.choices.credentials.find(({ value }) => value === held("basic_auth_id"));
  const isAny = namesIn("doing").some((name) => held(name) !== "");
  const said = [
    ...(credentials && credentials.value !== "" ? [credentials.label] : []),
    ...(isAny ? [t.withSteps] : []),
  ];
  return said.length === 0 ? t.noSteps : said.join(", ");
}

function limitsText(form: Form): string {
  const held = heldBy(form);
  const limits = gateNames.flatMap((name) => {
    const condition = name.replace("gate.", "");
    const label = texts.report.gateConditions[condition]?.toLowerCase();
    const value = held(name);
    if (value === "" || label === undefined) return [];
    return [value === "true" ? t.none(label) : t.atMost(value, label)];
  });
  return limits.length === 0 ? t.noLimits : limits.join(", ");
}

/** Fields that are hidden until somebody opens them, or has to correct one. */
function group(
  { attempt }: Form,
  { name, holds, names }: { name: string; holds: string; names: readonly string[] },
  content: Html,
): Html {
  const isRefused = isRefusedFor(attempt, names);
  return html`<details class="card flush fold" open=${isRefused || undefined}>
    <summary class="tools line near">
      ${icon("next")} <b>${name}</b>
      <span class="push quiet">${isRefused ? html`<span class="bad">${icon("failed")} ${t.toCorrect}</span>` : holds}</span>
    </summary>
    <div class="tools"><div class="grid sheet">${content}</div></div>
  </details>`;
}

const { minimum, maximum } = settings.gate.schema.properties.maxErrors;

function gateFields(form: Form): Html {
  const field = fieldsOf(form);
  const limit = (name: "max_errors" | "max_warnings" | "max_new_errors" | "max_new_warnings") =>
    input({
      ...field(`gate.${name}`, texts.report.gateConditions[name] ?? name),
      ...{ min: minimum, max: maximum, type: "number" },
    });
  return html`<fieldset>
    <legend>${t.gate}</legend>
    <p class="quiet">${t.gateWhat}</p>
    <div class="row">${limit("max_errors")} ${limit("max_new_errors")} ${limit("max_warnings")} ${limit("max_new_warnings")}</div>
    ${select({
      ...field("gate.min_impact", t.minImpact, t.minImpactHelp),
      options: [{ value: "", label: t.anyImpact }, ...impacts.map((value) => ({ value, label: texts.impacts[value] }))],
    })}
    ${checkbox(field("gate.fail_on_failed_pages", t.failOnFailedPages))}
    ${checkbox(field("gate.require_complete", t.requireComplete))}
  </fieldset>`;
}
