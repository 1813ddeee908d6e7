import { impacts } from "../../../checks/impacts.ts";
import { checkKinds, manifestOf, nounOf } from "../../../checks/kinds.ts";
import { a11yDepths } from "../../../schema/a11y-depths.ts";
import { htmlEngines } from "../../../schema/html-engines.ts";
import { scheduleSpecSchema } from "../../../schema/schedule.ts";
import { reportStandards } from "../../../schema/standards.ts";
import { type Html, html } from "../../html.ts";
import type { Attempt } from "../../page.ts";
import { texts } from "../../texts/en.ts";
import { checkbox, input, isRefusedFor, select } from "../form.ts";
import { icon } from "../icon.ts";
import type { Choices } from "./choices.ts";
import { crawlNames } from "./names.ts";
import { heldBy, type Values } from "./values.ts";

const t = texts.crawlForm;
const { maxPages, rateLimit, pageTimeoutSeconds, signInSeconds, signInTries, activeDeadlineSeconds, gate, waitFor } =
  scheduleSpecSchema.properties;
const range = ({ minimum, maximum }: { minimum: number; maximum: number }) => ({ min: minimum, max: maximum });

type Form = { values: Values; choices: Choices; attempt?: Attempt | undefined };

/**
 * The fields of a report's or schedule's form that define what is crawled and checked: what is always chosen, and groups that
 * say what they hold while they are closed.
 *
 * @param when the fields for when a schedule runs
 * @param more further settings that are rarely changed
 */
export function crawlFields(form: Form, { when = null, more = null, moreNames = [] }: More = {}): Html {
  const field = fieldsOf(form);
  return html`<section class="card grid" aria-labelledby="what">
      <h2 id="what">${t.what}</h2>
      ${input({ ...field("starting_url", t.startingUrl, t.startingUrlHelp), type: "url", required: true })}
      ${input({ ...field("max_pages", t.maxPages, t.maxPagesHelp), ...range(maxPages), type: "number", required: true })}
      <div class="row">
        <fieldset>
          <legend>${t.checks}</legend>
          ${checkKinds.map((kind) => checkbox({ ...field(`perform_${nounOf(kind)}_checks`, manifestOf(kind).texts.title), boxed: true }))}
        </fieldset>
        ${select({
          ...field("standard", t.standard, t.standardHelp),
          options: reportStandards.map((value) => ({ value, label: texts.standards[value] ?? value })),
        })}
      </div>
      ${select({
        ...field("a11y_depth", t.a11yDepth, t.a11yDepthHelp),
        options: a11yDepths.map((value) => ({ value, label: t.a11yDepths[value] })),
      })}
    </section>
    ${when && html`<div class="card grid">${when}</div>`}
    ${group(form, { name: t.scope, holds: scopeText(form), names: crawlNames.scope }, html`${visiting(form)} ${browser(form)}`)}
    ${group(form, { name: t.steps, holds: stepsText(form), names: crawlNames.steps }, html`${signIn(form)} ${doing(form)}`)}
    ${group(
      form,
      { name: t.results, holds: limitsText(form), names: [...crawlNames.gate, ...crawlNames.keeping, ...moreNames] },
      html`${gateFields(form)} ${keeping(form)} ${more}`,
    )}`;
}

type More = { when?: Html; more?: Html; moreNames?: readonly string[] };

/** A field's name, label, help and value. */
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
  const isAny = ["prepare", "states", "wait_for.selector", "wait_for.text", "hide"].some((name) => held(name) !== "");
  const said = [
    ...(credentials && credentials.value !== "" ? [credentials.label] : []),
    ...(isAny ? [t.withSteps] : []),
  ];
  return said.length === 0 ? t.noSteps : said.join(", ");
}

function limitsText(form: Form): string {
  const held = heldBy(form);
  const limits = crawlNames.gate.flatMap((name) => {
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

function gateFields(form: Form): Html {
  const field = fieldsOf(form);
  const limit = (name: "max_errors" | "max_warnings" | "max_new_errors" | "max_new_warnings") =>
    input({
      ...field(`gate.${name}`, texts.report.gateConditions[name] ?? name),
      ...range(gate.properties.maxErrors),
      type: "number",
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

function visiting(form: Form): Html {
  const field = fieldsOf(form);
  return html`<fieldset>
    <legend>${t.visiting}</legend>
    ${input({ ...field("rate_limit", t.rateLimit, t.rateLimitHelp), ...range(rateLimit), type: "number", required: true })}
    ${input({ ...field("initial_urls", t.initialUrls, t.initialUrlsHelp), rows: 3 })}
    ${input({ ...field("exclusions", t.exclusions, t.exclusionsHelp), rows: 3 })}
    ${input({ ...field("include_globs", t.includeGlobs, t.globsHelp), rows: 2 })}
    ${input(field("same_site", t.sameSite, t.sameSiteHelp))}
    ${input({ ...field("exclude_globs", t.excludeGlobs, t.globsHelp), rows: 2 })}
    ${input({ ...field("include_links", t.includeLinks, t.globsHelp), rows: 2 })}
    ${input({ ...field("exclude_links", t.excludeLinks, t.globsHelp), rows: 2 })}
    ${input(field("ignored_parameters", t.ignoredParameters, t.ignoredParametersHelp))}
    ${checkbox(field("deep_crawl", t.deepCrawl))} ${checkbox(field("dynamic_crawler", t.dynamicCrawler))}
    ${checkbox(field("use_sitemaps", t.useSitemaps))} ${checkbox(field("follow_frames", t.followFrames))}
    ${checkbox(field("follow_hash_routes", t.followHashRoutes))}
    ${checkbox(field("visit_forms", t.visitForms))} ${checkbox(field("visit_actions", t.visitActions))}
    ${input({ ...field("allow_posts", t.allowPosts, t.allowPostsHelp), rows: 2 })}
    ${checkbox(field("respect_robots", t.respectRobots))} ${checkbox(field("prefer_canonical_urls", t.preferCanonicalUrls))}
    ${input({
      ...field("page_timeout_seconds", t.pageTimeout),
      ...range(pageTimeoutSeconds),
      type: "number",
      required: true,
    })}
    ${input({
      ...field("active_deadline_seconds", t.deadline, t.deadlineHelp),
      ...range(activeDeadlineSeconds),
      type: "number",
      required: true,
    })}
  </fieldset>`;
}

function browser(form: Form): Html {
  const field = fieldsOf(form);
  return html`<fieldset>
    <legend>${t.browser}</legend>
    ${select({ ...field("device_id", t.deviceLabel), options: form.choices.devices })} ${checkbox(field("device_rotated", t.deviceRotated))}
    ${select({
      ...field("devices", t.furtherDevices, t.furtherDevicesHelp),
      options: form.choices.devices.filter(({ value }) => value !== ""),
      multiple: true,
    })}
    ${select({
      ...field("html_engine", t.htmlEngine),
      options: htmlEngines.map((value) => ({ value, label: t.htmlEngines[value] })),
    })}
  </fieldset>`;
}

function signIn(form: Form): Html {
  const field = fieldsOf(form);
  const number = { type: "number", required: true } as const;
  return html`${select({
    ...field("basic_auth_id", t.credentials, t.credentialsHelp),
    options: form.choices.credentials,
  })}
  ${input({ ...field("sign_in_seconds", t.signInSeconds), ...range(signInSeconds), ...number })}
  ${input({ ...field("sign_in_tries", t.signInTries, t.signInTriesHelp), ...range(signInTries), ...number })}`;
}

function doing(form: Form): Html {
  const field = fieldsOf(form);
  return html`<fieldset>
    <legend>${t.doing}</legend>
    ${input({ ...field("prepare", t.prepare, t.prepareHelp), rows: 4 })}
    ${input({ ...field("states", t.states, t.statesHelp), rows: 4 })}
    ${input(field("wait_for.selector", t.waitFor, t.waitForHelp))} ${input(field("wait_for.text", t.waitForText))}
    ${input({ ...field("wait_for.seconds", t.waitForSeconds), ...range(waitFor.properties.seconds), type: "number" })}
    ${input({ ...field("hide", t.hide, t.hideHelp), rows: 2 })}
  </fieldset>`;
}

function keeping(form: Form): Html {
  const field = fieldsOf(form);
  return html`<fieldset>
    <legend>${t.keeping}</legend>
    ${checkbox(field("store_screenshot", t.storeScreenshot))} ${checkbox(field("store_incomplete_checks", t.storeIncomplete))}
    ${checkKinds.map((kind) => checkbox(field(`store_raw_${nounOf(kind)}_checks`, manifestOf(kind).texts.raw)))}
    ${input(field("tags", t.tags, t.tagsHelp))} ${checkbox(field("shared", t.shared))}
  </fieldset>`;
}
