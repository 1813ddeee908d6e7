import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { checkbox } from "./form.ts";

const t = texts.people;

/** Whether the link of an invitation is sent, too; null where the service sends no mail. */
export function invitationField({ invitesByMail }: PageContext, attempt: Attempt | undefined): Html {
  return invitesByMail && checkbox({ name: "send_invitation", label: t.sendMail, help: t.sendMailHelp, attempt });
}

/** What the form says of that. */
export const invitationIn = (fields: Fields) => ({
  ...(fields.has("send_invitation") && { send_invitation: true }),
});

/** What became of an invitation by mail, while nobody has accepted it; null for one that is not sent. */
export function invitationMail({ invitation_mail: mail }: Pick<Attributes<"person">, "invitation_mail">): Html {
  if (mail === null) return null;
  const what = t.mails[mail.state];
  const answer = mail.state === "sent" || mail.answer === null ? null : html`: ${mail.answer}`;
  return html` <span class=${mail.state === "refused" ? "small bad" : "small"}>${what}${answer}</span>`;
}
