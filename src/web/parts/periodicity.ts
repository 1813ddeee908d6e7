import type { Attributes } from "../../api/documents.ts";
import { type Periodicity, weekdays } from "../../schema/schedule.ts";
import { given, numberIn, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields } from "../page.ts";
import { texts } from "../texts/en.ts";
import type { Values } from "./crawl-form/values.ts";
import { input, select } from "./form.ts";

const t = texts.scheduleForm;
const every = ["day", "week", "month", "deploy"] as const satisfies readonly Periodicity["every"][];

export const periodicityNames = ["every", "weekday", "monthday", "at", "time_zone"].map(
  (name) => `periodicity.${name}`,
);

/** "Every Monday at 06:00 UTC". @param periodicity null when only the deploy hook starts the schedule */
export function periodicityText(periodicity: Attributes<"schedule">["periodicity"]): string {
  const words = texts.schedule;
  if (periodicity === null) return words.every.deploy;
  const { weekday, monthday, at, time_zone: zone = "UTC" } = periodicity;
  const days =
    periodicity.every === "week" && weekday !== undefined
      ? words.onWeekday(textOfList(weekday, (one) => texts.weekdays[one] ?? one))
      : periodicity.every === "month" && monthday !== undefined
        ? words.onMonthday(monthday)
        : words.every[periodicity.every];
  return at === undefined ? days : `${days} ${words.at(textOfList(at), zone)}`;
}

/** "06:30 and 18:00" for values that are separated by commas. */
function textOfList(list: string, textOf = (one: string) => one): string {
  return listFormat.format(list.split(",").map((one) => textOf(one.trim())));
}

const listFormat = new Intl.ListFormat("en");

/** The fields for when a schedule runs. Those that the chosen period does not have are hidden, and not read. */
export function periodicityFields(values: Values, attempt: Attempt | undefined): Html {
  const field = (name: string, label: string, help?: string) => {
    return { name: `periodicity.${name}`, label, help, value: values[`periodicity.${name}`], attempt };
  };
  return html`<fieldset class="periodicity">
    <legend>${t.when}</legend>
    <div class="row">
      ${select({
        ...field("every", t.every),
        options: every.map((value) => ({ value, label: texts.schedule.every[value] })),
      })}
      <div class="for-week">
        ${select({
          ...field("weekday", t.weekday),
          options: weekdays.map((value) => ({ value, label: texts.weekdays[value] ?? value })),
        })}
      </div>
      <div class="for-month">
        ${input({ ...field("monthday", t.monthday, t.monthdayHelp), type: "number", min: 1, max: 28 })}
      </div>
      <div class="for-time">${input(field("at", t.at, t.atHelp))} ${input(field("time_zone", t.timeZone, t.timeZoneHelp))}</div>
    </div>
  </fieldset>`;
}

/** The API's attribute for what was filled in; undefined when the form has no periodicity. */
export function periodicityOf(fields: Fields): Record<string, unknown> | undefined {
  const chosen = textIn(fields, "periodicity.every");
  if (chosen === undefined) return undefined;
  const filled = (name: string) => (textIn(fields, name) === "" ? undefined : numberIn(fields, name));
  return given({
    every: chosen,
    weekday: chosen === "week" ? filled("periodicity.weekday") : undefined,
    monthday: chosen === "month" ? filled("periodicity.monthday") : undefined,
    at: chosen === "deploy" ? undefined : filled("periodicity.at"),
    time_zone: chosen === "deploy" ? undefined : filled("periodicity.time_zone"),
  });
}
