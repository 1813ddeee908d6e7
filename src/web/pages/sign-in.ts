import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { icon } from "../parts/icon.ts";
import { texts } from "../texts/en.ts";
import { PROVIDER_END, providerPart, type ShownProvider } from "./provider.ts";
import { type Resume, resumeFields } from "./unsent.ts";

const t = texts.signInAs;
const p = texts.provider;

export type SignInState = {
  next?: string | undefined;
  problem?: keyof typeof texts.signIn.problems;
  ended?: boolean;
  /** Somebody has just signed out. */
  out?: boolean;
  /** A form that waits until somebody has signed in. */
  resume?: Resume | undefined;
  /** Whether there are people who may have passwords. */
  hasOwner?: boolean;
  /** What was typed. */
  mail?: string;
  passwordProblem?: "wrong" | "too many" | "expired";
  /** How many tries are left. */
  left?: number;
  provider?: ShownProvider | undefined;
  providerProblem?: keyof typeof texts.provider.problems;
  /** The proxy that says who comes, and the address that leads through it. */
  proxy?: { signOut: string | undefined; baseUrl: string | undefined } | undefined;
  /** It did not say who comes, or was not asked. */
  proxyProblem?: "outside" | "nobody" | undefined;
  /** The mail address of whoever gives access. */
  contact?: string | undefined;
};

/**
 * The ways to sign in. While nobody is a person, it is the form for a token. A link with a code in its fragment fills in
 * and sends that form by script.
 */
export function signInView(context: PageContext, state: SignInState): View {
  const { hasOwner = false, next, ended, out, resume, provider, providerProblem, contact, proxy, proxyProblem } = state;
  const { title } = texts.signIn;
  const password = hasOwner && passwordForm(context, state);
  const isTokenOpen = !hasOwner && !provider;
  const isPasswordOpen = state.passwordProblem !== undefined || provider?.awaySince !== undefined;
  const token = tokenForm(context, state);
  return {
    title,
    isNarrow: true,
    content: html`<div class="card grid large">
      <h1>${title}</h1>
      ${out && html`<div class="strip fine" role="status">${icon("passed")}<p><b>${t.out}</b> ${t.outOf}</p></div>`}
      ${ended && html`<p class="problems tools" role="status">${texts.signIn.ended}</p>`}
      ${resume && html`<p role="status">${texts.unsent.signInFirst}</p>`}
      ${out && provider && html`<p class="quiet">${p.out(provider.name)} <a href=${context.href(PROVIDER_END)}>${p.outThere}</a>.</p>`}
      ${out && proxy?.signOut !== undefined && html`<p class="quiet">${p.outProxy} <a href=${proxy.signOut}>${p.outThere}</a>.</p>`}
      ${proxyProblem && proxyStrip(proxyProblem, proxy?.baseUrl)}
      ${providerProblem && html`<p class="problems tools" role="alert">${p.problems[providerProblem]}</p>`}
      ${next && (hasOwner || provider) && html`<p class="quiet">${t.after} <b class="url">${next}</b></p>`}
      ${provider && providerPart(context, provider, next)}
      ${password && (provider ? html`<details open=${isPasswordOpen || undefined}><summary>${t.password}</summary>${password}</details>` : html`<h2>${t.password}</h2>${password}`)}
      ${isTokenOpen ? token : html`<details open=${state.problem !== undefined || undefined}><summary>${t.token}</summary>${token}</details>`}
      ${!hasOwner && html`<p class="quiet small">${t.setUp} <a href=${context.href("/setup")}>${t.setUpLink}</a></p>`}
      ${contact !== undefined && html`<p class="quiet small">${p.gives} <a href=${`mailto:${contact}`}>${contact}</a></p>`}
    </div>`,
  };
}

/** Where a proxy says who comes, and has not said it. */
function proxyStrip(problem: "outside" | "nobody", baseUrl: string | undefined): Html {
  const isElsewhere = problem === "outside" && baseUrl !== undefined;
  return html`<div class="strip" role="note">${icon("alert")}<p><b>${p.proxy[problem]}</b>
    ${isElsewhere && html`${p.use} <a href=${`${baseUrl}/`}>${new URL(baseUrl).host}</a>.`}</p></div>`;
}

function tokenForm({ href }: PageContext, { next, problem, resume }: SignInState): Html {
  const { intro, token, submit, where, shared, problems, codeNeedsScript } = texts.signIn;
  return html`<form class="grid" method="post" action=${href("/sign-in")} data-sign-in>
    <p>${intro}</p>
    <input type="hidden" name="next" value=${next ?? ""} />
    <input type="hidden" name="code" value="" />
    ${resume && resumeFields(resume)}
    <div class="field">
      <label for="field-token">${token}</label>
      <input
        id="field-token"
        name="token"
        type="password"
        autocomplete="current-password"
        autofocus=${problem ? true : undefined}
        aria-invalid=${problem ? "true" : undefined}
        aria-describedby=${problem ? "error-token" : undefined}
      />
      ${problem && html`<p class="bad error" id="error-token" role="alert">${problems[problem]}</p>`}
    </div>
    <p><button>${submit}</button></p>
    <p class="quiet small">${shared} ${where}</p>
    <noscript><p class="quiet small">${codeNeedsScript}</p></noscript>
  </form>`;
}

function passwordForm({ href }: PageContext, state: SignInState): Html {
  const { next, resume, mail = "", passwordProblem, left = 0, provider } = state;
  const problem =
    passwordProblem === "too many"
      ? t.tooMany
      : passwordProblem === "expired"
        ? texts.secondFactor.expired
        : passwordProblem && `${t.wrong} ${t.left(left)}`.trim();
  return html`<form class="grid" method="post" action=${href("/sign-in")}>
    <p class="quiet">${provider ? t.passwordAway(provider.name) : t.passwordFor}</p>
    <input type="hidden" name="next" value=${next ?? ""} />
    ${resume && resumeFields(resume)}
    <div class="field">
      <label for="field-mail">${t.mail}</label>
      <input id="field-mail" name="mail" type="email" autocomplete="username" value=${mail} required />
    </div>
    <div class="field">
      <label for="field-password">${t.passwordField}</label>
      <input
        id="field-password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus=${problem ? true : undefined}
        aria-invalid=${problem ? "true" : undefined}
        aria-describedby=${problem ? "error-password" : undefined}
      />
      ${problem && html`<p class="bad error" id="error-password" role="alert">${problem}</p>`}
    </div>
    <p><button>${t.submit}</button></p>
  </form>`;
}

/** The form for the code of somebody's app, once the password is right. */
export function secondFactorView(
  { href }: PageContext,
  { pending, isWrong, next, resume }: { pending: string; isWrong?: boolean } & Pick<SignInState, "next" | "resume">,
): View {
  const f = texts.secondFactor;
  return {
    title: f.title,
    isNarrow: true,
    content: html`<form class="card grid large" method="post" action=${href("/sign-in")}>
      <h1>${f.title}</h1>
      <p>${f.what}</p>
      <input type="hidden" name="pending" value=${pending} />
      <input type="hidden" name="next" value=${next ?? ""} />
      ${resume && resumeFields(resume)}
      <div class="field">
        <label for="field-factor">${f.code}</label>
        <input id="field-factor" name="factor" inputmode="numeric" autocomplete="one-time-code" required autofocus
          aria-invalid=${isWrong ? "true" : undefined} aria-describedby=${isWrong ? "error-factor" : undefined} />
        ${isWrong && html`<p class="bad error" id="error-factor" role="alert">${f.wrong}</p>`}
      </div>
      <p><button>${f.submit}</button></p>
    </form>`,
  };
}
