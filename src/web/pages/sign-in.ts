import { html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { texts } from "../texts/en.ts";
import { type Resume, resumeFields } from "./unsent.ts";

export type SignInProblem = keyof typeof texts.signIn.problems;

type SignInState = {
  next?: string | undefined;
  problem?: SignInProblem;
  ended?: boolean;
  /** A form that waits until somebody has signed in. */
  resume?: Resume | undefined;
};

/** The form for a token. A link with a code in its fragment fills in and sends the form by script. */
export function signInView({ href }: PageContext, { next, problem, ended, resume }: SignInState): View {
  const { title, intro, token, submit, where, problems, codeNeedsScript } = texts.signIn;
  return {
    title,
    isNarrow: true,
    content: html`<form class="card grid large" method="post" action=${href("/sign-in")} data-sign-in>
      <h1>${title}</h1>
      ${ended && html`<p class="problems tools" role="status">${texts.signIn.ended}</p>`}
      ${resume && html`<p role="status">${texts.unsent.signInFirst}</p>`}
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
      <p class="quiet small">${texts.signIn.shared} ${where}</p>
      <noscript><p class="quiet small">${codeNeedsScript}</p></noscript>
    </form>`,
  };
}
