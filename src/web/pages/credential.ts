import { parse } from "yaml";
import type { Attributes, One } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { withoutSourceMap } from "../../schema/steps.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { actionForm, confirmForm, hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { texts } from "../texts/en.ts";

const t = texts.credentials;
const PATH = "/credentials/:basic_auth_id";

export const credentialNames = ["host", "username", "password", "sign_in"];

export const credentialPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const credentialForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    await context.api.patch(apiPath(context), credentialAttributes(fields));
    return { redirect: context.href("/credentials", { done: "saved" }) };
  }),
  {
    path: `${PATH}/try`,
    access: "account",
    submit: async (context, fields) => {
      const { data } = await context.api.get<One<"basic_auth">>(apiPath(context));
      const trial = {
        starting_url: startOf(data.attributes),
        max_pages: 1,
        store_screenshot: true,
        basic_auth_id: data.id,
      };
      const repeatKey = fields.get("key") ?? undefined;
      const { data: made } = await context.api.post<One<"report">>("/reports", trial, { repeatKey });
      return { redirect: context.href(`/reports/${made.id}`) };
    },
  },
  {
    path: `${PATH}/delete`,
    access: "account",
    submit: async (context, fields) => {
      const force = fields.get("force") === "true" ? "true" : undefined;
      try {
        await context.api.delete(apiPath(context), { force });
      } catch (error) {
        if (!(error instanceof RequestError) || error.violations[0]?.code !== "basic_auth_in_use") throw error;
        return { ...(await inUseView(context)), status: error.status };
      }
      return { redirect: context.href("/credentials", { done: "deleted" }) };
    },
  },
];

const apiPath = ({ params }: PageContext) => `/basic_auths/${params.basic_auth_id}`;
const pagePath = ({ params }: PageContext) => `/credentials/${params.basic_auth_id}`;

/** Where the site begins: as the steps open it, since only they know its scheme. */
function startOf({ host, sign_in }: Attributes<"basic_auth">): string {
  const opened = (sign_in?.steps ?? []).flatMap((step) => URL.parse(step.replace(/^open /, "")) ?? []);
  return `${opened.find((url) => url.host === host)?.origin ?? `https://${host}`}/`;
}

/**
 * The attributes that were filled in. An empty password, or sign-in, is not changed; spaces in a password count. Credentials
 * of headers or a sign-in have neither user name nor password.
 */
export function credentialAttributes(fields: Fields): Record<string, unknown> {
  const password = fields.get("password") || undefined;
  const username = textIn(fields, "username") || undefined;
  return given({ host: textIn(fields, "host"), username, password, sign_in: signInOf(textIn(fields, "sign_in")) });
}

/** A recording, or its steps, as JSON or YAML. What cannot be read stays text, for the API to refuse. */
function signInOf(text = ""): unknown {
  if (text === "") return undefined;
  try {
    return parse(withoutSourceMap(text), { logLevel: "error" });
  } catch {
    return text;
  }
}

/** The fields of stored credentials: no secret is ever shown, not even one that was typed just now. */
export function credentialFields(values: Partial<Attributes<"basic_auth">>, attempt: Attempt | undefined): Html {
  const isNew = values.host === undefined;
  const { steps } = values.sign_in ?? { steps: [] };
  return html`${input({ name: "host", label: t.host, help: t.hostHelp, value: values.host, required: true, attempt })}
  ${input({ name: "username", label: t.username, value: values.username ?? "", attempt })}
  ${input({ name: "password", label: t.password, help: isNew ? undefined : t.passwordKeep, type: "password", attempt })}
  ${steps.length === 0 ? null : html`<p>${t.steps}</p><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`}
  ${input({ name: "sign_in", label: t.signIn, help: isNew ? t.signInHelp : t.signInKeep, rows: 4, secret: true, attempt })}`;
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const { data } = await context.api.get<One<"basic_auth">>(apiPath(context));
  const path = pagePath(context);
  const content = html`<div>
    ${forWriters(
      context,
      () => html`<form class="card grid sheet" method="post" action=${context.href(path)}>
        ${hiddenFields(context)} ${problems(attempt, credentialNames)} ${credentialFields(data.attributes, attempt)}
        <button>${t.save}</button>
      </form>`,
      "common",
    )}
    ${data.attributes.sign_in && tryIt(context)}
    ${confirmForm(context, `${path}/delete`, { summary: t.delete, what: t.deleteWhat, sure: t.deleteSure, right: "common" })}
  </div>`;
  return { title: t.editTitle(data.attributes.host), ...settingsCrumbs(context, "credentials"), content };
}

/** Signs in, and checks one page: the report says whether it worked, and shows the page on which it did not. */
function tryIt(context: PageContext): Html {
  return forWriters(
    context,
    () => html`<section class="card grid close" aria-labelledby="try">
      <h2 id="try">${t.try}</h2>
      <p>${t.tryWhat}</p>
      ${actionForm(context, `${pagePath(context)}/try`, t.tryIt)}
    </section>`,
  );
}

/** Asks again before deleting credentials that are in use. */
async function inUseView(context: PageContext): Promise<View> {
  const { data } = await context.api.get<One<"basic_auth">>(apiPath(context));
  const path = pagePath(context);
  const fields = html`<input type="hidden" name="force" value="true" />`;
  const content = html`<div>
    <p class="card grid close problems" role="alert">${t.inUseWhat}</p>
    <div class="line near">
      ${actionForm(context, `${path}/delete`, t.force, { quiet: true, fields, right: "common" })}
      <a class="button" href=${context.href(path)}>${texts.form.back}</a>
    </div>
  </div>`;
  return { title: `${t.inUse}: ${data.attributes.host}`, ...settingsCrumbs(context, "credentials"), content };
}
