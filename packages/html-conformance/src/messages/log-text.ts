/*
 * What strangers wrote (pages, servers, files, environments) ends up in logs. Terminals obey control characters, and
 * build servers obey lines: a page with the line `::stop-commands::x` could give commands to the job that checked it.
 * Each format breaks commands in its own way; where it can, without a loss.
 */

/** What may precede a command in its line: white space, invisible characters, and the colours that we write. */
const LEADING = String.raw`(?:\x1b\[[\d;]*m|[\s\p{C}])*`;

/**
 * The character in each command of a build server that is to be broken, and so is never first in its line:
 *
 * - `::name::`, at the start of a line, perhaps after white space: GitHub, Forgejo
 * - `##[name]`, `##vso[name]`, `##teamcity[name]` and the like, anywhere in a line: GitHub, Azure Pipelines, TeamCity, Octopus
 * - `section_start:`, `travis_fold:` and the like: GitLab, Travis
 * - `---`, `+++`, `~~~`, `^^^` and a space, at the start of a line: Buildkite
 */
const COMMAND = new RegExp(
  [
    // The character comes before what must precede it: otherwise each character of a long run would look back over it.
    `:(?<=^${LEADING}::)`,
    String.raw`#(?<=##)(?=[a-z]*\[)`,
    `:(?<=(?:section|travis)_(?:start|end|fold|time):)`,
    String.raw`([-+~^])(?=\1(?:\s|$))(?<=^${LEADING}\1\1)`,
  ].join("|"),
  "gimu",
);

/** Controls, and characters that change a text's direction or cannot be seen. Line breaks and tabs are among them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|\p{Surrogate}/gu;

/** A text of several lines without commands: a space is put into each. */
export function withoutCommands(text: string): string {
  return text.replace(COMMAND, " $&");
}

/** What strangers wrote as one line without control characters: those and line breaks are replaced. */
export function visible(text: string): string {
  return text.replace(UNSEEN, "\uFFFD");
}

/** A message of several lines as a log may have it. */
export function logText(text: string): string {
  return withoutCommands(
    text
      .split(/\r?\n/)
      .map((line) => visible(line.replaceAll("\t", " ")))
      .join("\n"),
  );
}

/** A JSON text that means the same, and whose only line breaks are between values. */
export function logJson(json: string): string {
  return json.replace(UNSEEN, (one) => (one === "\n" ? one : unicodeEscaped(one))).replace(COMMAND, unicodeEscaped);
}

/** A markup text, of XML or HTML, that means the same. Characters that it must not have are to be replaced before. */
export function logMarkup(markup: string): string {
  return markup
    .replace(UNSEEN, (one) => (/[\t\n]/.test(one) ? one : characterReference(one)))
    .replace(COMMAND, characterReference);
}

/** The cell of a table, which may have lines: what is unseen is replaced, and an apostrophe put into commands. */
export function logCell(text: string): string {
  return text
    .replace(/\r(?!\n)/g, "\n")
    .replace(UNSEEN, (one) => (/[\t\n\r]/.test(one) ? one : "\uFFFD"))
    .replace(COMMAND, "'$&");
}

function characterReference(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

/** A character beyond U+FFFF has two units. */
function unicodeEscaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
