import type { CareFault, Seen, SeenField } from "./seen.ts";
import { short } from "./seen.ts";

/** Fields and groups of fields that do not say what is to be entered. */
export function judgeFields({ fields, groups }: Pick<Seen, "fields" | "groups">): CareFault[] {
  return [...labels(fields), ...ungrouped(fields), ...legends(groups), ...purposes(fields), ...hints(fields)];
}

const isChoice = ({ type }: SeenField): boolean => type === "radio" || type === "checkbox";

function labels(fields: readonly SeenField[]): CareFault[] {
  const rule = "sv-field-label" as const;
  const shown = fields.filter(({ type }) => !/^(?:hidden|submit|button|reset|image)$/.test(type));
  const unnamed = shown.flatMap(({ id, label, placeholder, title, isOff }): CareFault[] => {
    if (isOff || label !== "" || (placeholder === "" && title === "")) return [];
    const by =
      placeholder !== ""
        ? `its placeholder, "${short(placeholder)}", which goes when somebody types`
        : `its title, "${short(title)}", which only a mouse shows`;
    return [{ rule, id, review: true, summary: `The only label of this field is ${by}.` }];
  });
  const texts = shown.filter((field) => !isChoice(field) && field.label !== "");
  const same = [...Map.groupBy(texts, ({ form, group, label }) => `${form} ${group} ${label.toLowerCase()}`).values()];
  return [
    ...unnamed,
    ...same.flatMap((some): CareFault[] => {
      const [first, second] = some;
      if (!first || !second || first.name === second.name) return [];
      const summary = `${some.length} fields here have the same label, "${short(second.label)}".`;
      return [{ rule, id: second.id, review: true, summary }];
    }),
  ];
}

/** Radio buttons and check boxes that belong together, and do not say so. */
function ungrouped(fields: readonly SeenField[]): CareFault[] {
  const alone = fields.filter((field) => isChoice(field) && field.group === 0 && field.name !== "");
  /** Check boxes have names of their own: the question before them tells which belong together. */
  const keyOf = ({ form, type, name, question, questionId }: SeenField): string =>
    type === "checkbox" && /[?:]\s*\*?$/.test(question)
      ? `${form} ${type} ${questionId}`
      : `${form} ${type} ${name.replace(/\[[^\]]*\]$/, "")}`;
  return [...Map.groupBy(alone, keyOf).values()].flatMap((some): CareFault[] => {
    const [first] = some;
    if (!first || some.length < 2) return [];
    const what = first.type === "radio" ? "radio buttons" : "check boxes";
    const question = first.question === "" ? "" : `, and "${short(first.question)}" may be what they answer`;
    const summary = `These ${some.length} ${what} belong together, and no fieldset or group says so${question}.`;
    return [{ rule: "sv-field-group", id: first.id, review: true, summary }];
  });
}

function legends(groups: readonly Seen["groups"][number][]): CareFault[] {
  return groups.flatMap(({ id, isFieldset, name, numFields, hasLegend }): CareFault[] => {
    if (name !== "" || numFields < 2) return [];
    const what = hasLegend
      ? "The legend of this group is empty."
      : `This ${isFieldset ? "fieldset" : "group"} of ${numFields} fields has no ${isFieldset ? "legend" : "name"}.`;
    return [{ rule: "sv-field-group", id, review: true, summary: what }];
  });
}

/** Texts beside fields that only who sees them knows to belong to these. */
function hints(fields: readonly SeenField[]): CareFault[] {
  return fields.flatMap(({ id, hint }): CareFault[] => {
    if (!hint) return [];
    const what = hint.isError ? "what is wrong with this field" : "what to enter here";
    const summary = `"${short(hint.text)}" seems to tell ${what}, and the field does not refer to it by aria-describedby.`;
    return [{ rule: "sv-field-message", id, review: true, summary }];
  });
}

/** What `autocomplete` says of a field for somebody's own data, by words of its name or label. */
const PURPOSES: readonly (readonly [token: string, words: RegExp])[] = [
  [
    "email",
    /^(?:(?:your )?e-?mail(?: address)?|e-?mail-?adresse|adresse e-?mail|courriel|correo(?: electrónico)?|indirizzo e-?mail)$/i,
  ],
  [
    "tel",
    /^(?:(?:your |mobile )?(?:tele)?phone(?: number)?|mobile(?: number)?|tel\.?|telefon(?:nummer)?|téléphone|teléfono|telefono)$/i,
  ],
  ["given-name", /^(?:first[ -]?name|given name|vorname|prénom|nombre|nome|voornaam)$/i],
  [
    "family-name",
    /^(?:last[ -]?name|surname|family name|nachname|nom(?: de famille)?|apellidos?|cognome|achternaam)$/i,
  ],
  ["name", /^(?:(?:your |full )name|ihr name|votre nom)$/i],
  ["postal-code", /^(?:post(?:al)? ?code|zip(?: ?code)?|plz|postleitzahl|code postal|código postal|cap)$/i],
  [
    "street-address",
    /^(?:street(?: address)?|address(?: line 1)?|straße(?: und hausnummer)?|adresse|dirección|indirizzo)$/i,
  ],
  ["bday", /^(?:date of birth|birth ?day|birth ?date|geburtsdatum|date de naissance|fecha de nacimiento)$/i],
];

/** Fields for somebody's own data that do not say so to a browser; one alone may be about somebody else, or a search. */
function purposes(fields: readonly SeenField[]): CareFault[] {
  const texts = fields.filter(({ tag, type }) => tag === "input" && /^(?:|text|email|tel|date)$/.test(type));
  const known = texts.flatMap((field) => {
    // Without a mark of what is required, and what is said of it in brackets.
    const label = (field.label || field.placeholder).replace(/\s*[*:(].*$/, "").trim();
    const token = PURPOSES.find(([, words]) => words.test(label))?.[0];
    return token === undefined ? [] : [{ field, token }];
  });
  return [...Map.groupBy(known, ({ field }) => field.form).values()].flatMap((some): CareFault[] => {
    const silent = some.filter(({ field }) => field.autocomplete === "");
    const [first] = silent;
    if (!first || new Set(some.map(({ token }) => token)).size < 2) return [];
    const names = silent
      .map(({ field }) => `"${short(field.label || field.placeholder)}"`)
      .slice(0, 4)
      .join(", ");
    const summary = `Fields for somebody's own data have no autocomplete: ${names}. For this one it would be ${first.token}.`;
    return [{ rule: "sv-field-purpose", id: first.field.id, review: true, summary }];
  });
}
