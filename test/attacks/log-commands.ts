/** A text that a build server takes for a command, or a terminal for a control sequence. */
export type LogCommand = { name: string; text: string };

/** What a page may write into the logs of those who check it. Add a line. */
export const logCommands: readonly LogCommand[] = [
  { name: "GitHub: no more commands", text: "::stop-commands::x" },
  { name: "GitHub: an annotation", text: "::error file=a.js,line=1::x" },
  { name: "GitHub: a mask", text: "::add-mask::e" },
  { name: "GitHub: after white space", text: " \t\u00A0\u3000::warning::x" },
  { name: "GitHub: after what cannot be seen", text: "\u200B\u2060\uFEFF::warning::x" },
  { name: "GitHub: the old form", text: "##[set-env name=PATH]x" },
  { name: "GitHub: a group", text: "##[group]x" },
  { name: "GitHub: within a line", text: "see ##[error]x" },
  { name: "GitHub: after a line break", text: "a\n::error::x" },
  { name: "GitHub: after a carriage return", text: "a\r::error::x" },
  { name: "GitHub: after line breaks and spaces", text: "a\r\n \n\t::error::x" },
  { name: "GitHub: after a line separator", text: "a\u2028::error::x" },
  { name: "GitHub: in colour", text: "\x1b[31m::error::x" },
  { name: "Azure Pipelines: a variable", text: "##vso[task.setvariable variable=PATH]x" },
  { name: "Azure Pipelines: within a line", text: "see ##VSO[task.complete result=Succeeded;]done" },
  { name: "Azure Pipelines: after more signs", text: "####vso[task.logissue type=error]x" },
  { name: "Azure Pipelines: a section", text: "##[section]x" },
  { name: "TeamCity: a build number", text: "##teamcity[buildNumber '1']" },
  { name: "TeamCity: within a line", text: "see ##TeamCity[buildStop comment='x' readdToQueue='false']" },
  { name: "Octopus Deploy: a variable", text: "##octopus[setVariable name='x' value='y']" },
  { name: "GitLab: a section", text: "section_start:1560896352:a[collapsed=true]\r\x1b[0Kx" },
  { name: "GitLab: its end", text: "section_end:1560896353:a\r\x1b[0K" },
  { name: "Travis: a fold", text: "travis_fold:start:a\rx" },
  { name: "Travis: a time", text: "travis_time:start:1a2b\r\x1b[0K" },
  { name: "Buildkite: a group", text: "--- x" },
  { name: "Buildkite: an open group", text: "+++ x" },
  { name: "Buildkite: a muted group", text: "~~~ x" },
  { name: "Buildkite: opens the group before", text: "^^^ +++" },
  { name: "Buildkite: after a line break", text: "a\n--- x" },
  { name: "Buildkite: an image", text: "\x1b]1338;url='http://127.0.0.1/x.png'\x07" },
  { name: "Jenkins: a hidden note", text: "\x1b[8mha:AAAA\x1b[0m" },
  { name: "a terminal: clears the screen", text: "\x1b[2J\x1b[H" },
  { name: "a terminal: a control of one byte", text: "\x9b2J" },
  { name: "a terminal: a title", text: "\x1b]0;x\x07" },
  { name: "a terminal: overwrites the line", text: "bad\rgood" },
  { name: "a terminal: goes back", text: "bad\b\b\bgood" },
  { name: "a terminal: the direction of text", text: "\u202Egpj.exe" },
];

/** What reads logs, and what it takes for a command in one of their lines. */
const readers: readonly { name: string; reads: RegExp }[] = [
  { name: "GitHub", reads: /^[\s\p{C}]*::|##\[/u },
  { name: "Azure Pipelines", reads: /##(?:vso)?\[/i },
  { name: "TeamCity", reads: /##teamcity\[/i },
  { name: "Octopus Deploy", reads: /##octopus\[/i },
  { name: "GitLab", reads: /section_(?:start|end):/ },
  { name: "Travis", reads: /travis_(?:fold|time):/ },
  { name: "Buildkite", reads: /^[\s\p{C}]*(?:---|\+\+\+|~~~|\^\^\^)(?:\s|$)/u },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters
  { name: "a terminal", reads: /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/ },
];

/** The commands in a log, each with its reader. */
export function commandsIn(log: string): string[] {
  return log
    .replaceAll("\r\n", "\n")
    .split(/[\n\r\u2028\u2029]/)
    .flatMap((line) =>
      readers.flatMap(({ name, reads }) => (reads.test(line) ? [`${name}: ${JSON.stringify(line)}`] : [])),
    );
}
