import { scanTags } from "../page/scan-tags.ts";

/** Beside the content: what is there is on every page. */
const ASIDE = /^(?:header|nav|aside|footer)$/;
/** Fields that nobody fills in. */
const UNFILLED = /^(?:hidden|submit|button|reset|image|checkbox|radio|search)$/;
const READ = ["method", "type", "role", "contenteditable", "action"];
/** Fewer fields are those of a search, of a filter, or of a newsletter. */
const MIN_FIELDS = 2;

type Form = { fields: number; texts: number; passwords: number; posts: boolean };

/**
 * What in a page says that its reader can change the site: content that can be edited, or a form in the content that is sent
 * by POST, with a text or some fields, and without a password. Undefined for none: then nothing is known.
 */
export function writingSign(html: string): string | undefined {
  let aside = 0;
  let form: Form | undefined;
  let found: string | undefined;
  scanTags(
    html,
    { read: (name) => (/^(?:form|input|textarea|select)$/.test(name) ? READ : ["contenteditable"]), xml: false },
    ({ name, given }) => {
      if (ASIDE.test(name)) aside += 1;
      if (aside > 0) return;
      if (given.contenteditable === "" || given.contenteditable === "true") found ??= "content that can be edited";
      if (name === "form") form = { fields: 0, texts: 0, passwords: 0, posts: given.method?.toLowerCase() === "post" };
      else if (form) count(form, name, given.type?.toLowerCase() ?? "text");
    },
    (name) => {
      if (ASIDE.test(name)) aside = Math.max(0, aside - 1);
      if (name !== "form" || !form) return;
      if (form.posts && form.passwords === 0 && (form.texts > 0 || form.fields >= MIN_FIELDS))
        found ??= "a form that saves";
      form = undefined;
    },
  );
  return found;
}

function count(form: Form, name: string, type: string): void {
  if (name === "textarea") form.texts += 1;
  else if (name === "input" && type === "password") form.passwords += 1;
  else if (name === "select" || (name === "input" && !UNFILLED.test(type))) form.fields += 1;
}
