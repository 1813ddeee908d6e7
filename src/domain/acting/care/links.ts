import type { CareFault, Seen, SeenLink } from "./seen.ts";
import { short } from "./seen.ts";

const DOCUMENT = /\.(pdf|docx?|xlsx?|pptx?|odt|ods|odp|zip|epub|csv)(?:[?#]|$)/i;
const SOUND = /\.(?:mp3|ogg|oga|wav|m4a|flac|aac|mp4|m4v|webm|mov|avi|wmv)(?:[?#]|$)/i;
const WINDOW =
  /\b(?:new|external|another)\b[^.]{0,20}\b(?:window|tab|site|page)\b|\bopens in\b|\bpop-?up\b|\bneue[sn]? (?:fenster|tab)|nouvelle fenêtre|nouvel onglet|nueva (?:ventana|pestaña)|nuova (?:finestra|scheda)/i;
const TRANSCRIPT = /transcript|transkript|transcription|transcripción|trascrizione|text version|textfassung/i;
const SKIP = /\bskip\b|\bjump to\b|\bzum inhalt\b|\bspringe|\baller au contenu\b|\bsaltar al?\b|\bvai al contenuto\b/i;

/** The address of what does something on the page. */
const NOWHERE = /^(?:#|javascript:.*)$/i;

/** Links that do not say what they do, or do what a link does not do. */
export function judgeLinks({ links: all }: Pick<Seen, "links">): CareFault[] {
  const links = all.filter(({ isHidden }) => !isHidden);
  const byId = new Map(links.map((link) => [link.id, link]));
  return [
    ...links.flatMap((link) => [...named(link), ...scripted(link), ...recordings(link)]),
    ...all.flatMap(skips),
    ...windows(links),
    ...neighbours(links, byId),
    ...addresses(links),
    ...kinds(links),
  ];
}

/** The signs of an index: most of what stands around is of one character, and no number of a page. */
function isInIndex(around: string): boolean {
  const words = around.split(/\s+/).filter((word) => word !== "");
  const signs = words.filter((word) => /^[^\d\s]$/u.test(word));
  return signs.length >= 8 && signs.length * 2 > words.length;
}

/** A sign that begins the address of what it leads to is what that is called, as an operator is. */
function isNameOfTarget(name: string, href: string): boolean {
  try {
    return decodeURIComponent(href).split(/[#/]/).at(-1)?.startsWith(name) === true;
  } catch {
    return false;
  }
}

function named({ id, name, hasCode, around, href }: SeenLink): CareFault[] {
  const plain = name.trim();
  if (
    plain === "" ||
    /\p{L}{2}|\d/u.test(plain) ||
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u.test(plain)
  )
    return [];
  // Letters of an index are links to what begins with them, and signs of a program are names.
  if (hasCode || /^\p{Lu}$/u.test(plain) || isInIndex(around) || isNameOfTarget(plain, href)) return [];
  return [{ rule: "sv-link-purpose", id, review: true, summary: `"${short(plain)}" is all that this link is called.` }];
}

function scripted({ id, href, role, name }: SeenLink): CareFault[] {
  if (role !== "" || !NOWHERE.test(href.trim()) || name === "") return [];
  if (/^(?:#)$/.test(href.trim()) && /\b(?:top|up|oben|haut|arriba|inicio|su)\b/i.test(name)) return [];
  const summary = `"${short(name)}" leads nowhere (href="${short(href)}"): what does something on the page is a button.`;
  return [{ rule: "sv-scripted-link", id, review: true, summary }];
}

function skips({ id, isFirst, fragment, name, href }: SeenLink): CareFault[] {
  if (!isFirst || !SKIP.test(name) || !/^(?:gone|hidden)$/.test(fragment)) return [];
  const why = fragment === "gone" ? "nothing on the page has this id" : "what has this id is hidden";
  const summary = `"${short(name)}" leads to ${short(href)}, and ${why}.`;
  return [{ rule: "sv-skip-link", id, review: fragment === "hidden", summary }];
}

/** Sound and films behind a link, without their text nearby. */
function recordings({ id, target, name, around }: SeenLink): CareFault[] {
  if (!SOUND.test(target) || TRANSCRIPT.test(`${name} ${around}`)) return [];
  const summary = `"${short(name)}" leads to a recording, and nothing beside it leads to its text.`;
  return [{ rule: "sv-transcript", id, review: true, summary }];
}

/** One finding for all of a page: they are made in one way. */
function windows(links: readonly SeenLink[]): CareFault[] {
  const silent = links.filter(
    ({ opensWindow, name, title, around }) => opensWindow && !WINDOW.test(`${name} ${title} ${around.slice(0, 200)}`),
  );
  const [first] = silent;
  if (!first) return [];
  const more = silent.length > 1 ? ` So do ${silent.length - 1} more.` : "";
  const summary = `"${short(first.name)}" opens a new window, and does not say so.${more}`;
  return [{ rule: "sv-new-window", id: first.id, review: true, summary }];
}

function neighbours(links: readonly SeenLink[], byId: ReadonlyMap<number, SeenLink>): CareFault[] {
  return links.flatMap((link): CareFault[] => {
    const next = byId.get(link.next);
    if (!next || link.target === "" || next.target !== link.target) return [];
    // What is a button, or leads to its own page, does something.
    if (link.role !== "" || next.role !== "" || link.href.trim() === "" || NOWHERE.test(link.href.trim())) return [];
    // Names of their own for one part of the page: a script knows which it was.
    if (/^#/.test(link.href.trim()) && link.name !== next.name) return [];
    // Signs for two ways, such as back and up, may lead to one place for once.
    if (link.hasPicture && next.hasPicture && link.name !== next.name && next.name !== "") return [];
    const summary = `This link and the one behind it, "${short(next.name)}", lead to the same place: they can be one.`;
    return [{ rule: "sv-adjacent-links", id: link.id, review: true, summary }];
  });
}

/** An address as it is typed. */
const ADDRESS = /^(?:https?:\/\/|www\.)\S{4,}$/i;

/** Whether most of an address behind its host is of numbers and signs: words, or a host alone, say where it leads. */
function saysNothing(address: string): boolean {
  const parts = address.replace(/^(?:https?:\/\/)?[^/?#]*/i, "").match(/[\p{L}\p{N}%@+]+/gu) ?? [];
  const words = parts.filter((part) => /^\p{L}{3,}$/u.test(part));
  return 2 * words.join("").length < parts.join("").length;
}

/** Links that are called by their address: one finding for all of a page. */
function addresses(links: readonly SeenLink[]): CareFault[] {
  const called = links.filter(({ name, hasCode }) => ADDRESS.test(name.trim()) && saysNothing(name.trim()) && !hasCode);
  const [first] = called;
  if (!first) return [];
  const more = called.length > 1 ? ` So are ${called.length - 1} more.` : "";
  const summary = `"${short(first.name)}" is an address, which is read out sign by sign: words say better where it leads.${more}`;
  return [{ rule: "sv-link-purpose", id: first.id, review: true, summary }];
}

/** Documents of another kind than a page, of which a link does not say so; one finding for all. */
function kinds(links: readonly SeenLink[]): CareFault[] {
  const silent = links.flatMap((link) => {
    const kind = DOCUMENT.exec(link.target)?.[1]?.toLowerCase();
    const said = `${link.name} ${link.title} ${link.around.slice(0, 300)}`.toLowerCase();
    const names: Readonly<Record<string, RegExp>> = {
      docx: /doc|word/,
      doc: /doc|word/,
      xls: /xls|excel/,
      xlsx: /xls|excel/,
      ppt: /ppt|powerpoint|slides/,
      pptx: /ppt|powerpoint|slides/,
    };
    const isSaid = kind !== undefined && (names[kind] ?? new RegExp(kind)).test(said);
    return kind === undefined || isSaid || link.hasPicture ? [] : [{ link, kind }];
  });
  const [first] = silent;
  if (!first) return [];
  const more = silent.length > 1 ? ` So do ${silent.length - 1} more to such documents.` : "";
  const summary = `"${short(first.link.name)}" leads to a ${first.kind.toUpperCase()} document, and does not say so.${more}`;
  return [{ rule: "sv-document-link", id: first.link.id, review: true, summary }];
}
