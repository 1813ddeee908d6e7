import { htmlSection } from "../finding.ts";
import { inputType } from "./aria/redundant-roles.ts";
import { type DocumentRule, formatValue, has, type OpenElement, type ReportProblem, value } from "./open-element.ts";
import { elementSection } from "./sections.ts";

/** Names that only one element of a kind may have. */
export const watchUniqueNames: DocumentRule = (report) => {
  const kinds = new Map<string, Set<string>>([
    ["map", new Set()],
    ["form", new Set()],
  ]);
  return {
    names: ["map", "form"],
    open(open) {
      const name = open.name && value(open, "name");
      const seen = kinds.get(open.name);
      if (!name || !seen) return;
      if (seen.has(name))
        report(open, {
          rule: `${open.name}/name`,
          message: `Another <${open.name}> before this one has the name "${formatValue(name)}" already.`,
          section: elementSection(open.name),
          attribute: "name",
        });
      seen.add(name);
    },
  };
};

/** Names of `<a>`, which do not conform if they are empty, given twice, or the ID of something else. */
export const watchAnchorNames: DocumentRule = (report) => {
  const ids = new Set<string>();
  const named: { open: OpenElement; name: string }[] = [];
  return {
    open(open) {
      if (open.id !== undefined) ids.add(open.id);
      const name = open.name === "a" ? value(open, "name") : undefined;
      if (name !== undefined) named.push({ open, name });
    },
    end() {
      const seen = new Set<string>();
      for (const { open, name } of named) {
        const why = anchorProblem(name, open.id, seen, ids);
        seen.add(name);
        if (why)
          report(open, {
            rule: "anchor-name",
            message: `The name of this <a>${why}.`,
            section: htmlSection("obsolete.html#obsolete-but-conforming-features"),
            attribute: "name",
          });
      }
    },
  };
};

function anchorProblem(
  name: string,
  id: string | undefined,
  seen: ReadonlySet<string>,
  ids: ReadonlySet<string>,
): string | undefined {
  if (name === "") return " is empty";
  if (id !== undefined && id !== name) return ` is not its ID, "${formatValue(id)}"`;
  if (seen.has(name)) return `, "${formatValue(name)}", is given to another <a> already`;
  return id === undefined && ids.has(name) ? `, "${formatValue(name)}", is the ID of another element` : undefined;
}

/** One of the `<details>` of a group is open, and none is inside of another. */
export const watchDetailsGroups: DocumentRule = (report) => {
  const opened = new Set<string>();
  const around: { open: OpenElement; name: string }[] = [];
  const fault = (open: OpenElement, attribute: string, message: string) =>
    report(open, { rule: `details/${attribute}`, message, section: elementSection("details"), attribute });
  return {
    names: ["details"],
    open(open) {
      const name = open.name && value(open, "name");
      if (!name) return;
      if (around.some((outer) => outer.name === name))
        fault(
          open,
          "name",
          `This <details> is inside of another one of its group, "${formatValue(name)}": opening it closes the other.`,
        );
      around.push({ open, name });
      if (!has(open, "open")) return;
      if (opened.has(name))
        fault(
          open,
          "open",
          `Another <details> of the group "${formatValue(name)}" is open already; one of them may be.`,
        );
      opened.add(name);
    },
    close(open) {
      if (around.at(-1)?.open === open) around.pop();
    },
  };
};

/** A radio button has others in its group. */
export const watchRadioGroups: DocumentRule = (report) => {
  const groups = new Map<string, OpenElement[]>();
  const forms: number[] = [];
  let count = 0;
  return {
    names: ["form", "input"],
    open(open) {
      if (open.name === "form") forms.push(count++);
      if (open.name !== "input" || inputType(open) !== "radio") return;
      const name = value(open, "name") ?? "";
      const owner = value(open, "form") ?? forms.at(-1) ?? "";
      const key = name === "" ? `alone ${count++}` : `${typeof owner} ${owner} ${name}`;
      const group = groups.get(key);
      if (group) group.push(open);
      else groups.set(key, [open]);
    },
    close(open) {
      if (open.name === "form") forms.pop();
    },
    end() {
      for (const [only, ...others] of groups.values()) if (only && others.length === 0) alone(only, report);
    },
  };
};

function alone(open: OpenElement, report: ReportProblem): void {
  const name = value(open, "name");
  report(open, {
    rule: "input/name",
    message: name
      ? `This radio button is the only one with the name "${formatValue(name)}" in its form; a group has several.`
      : 'This radio button has no name, and is the only one of its group; those of a group have the same "name".',
    section: htmlSection("input.html#radio-button-group"),
  });
}

/** The attributes by which a track is one of its kind. */
const KINDS: readonly (readonly [kinds: readonly string[], what: string])[] = [
  [["subtitles", "captions"], "subtitles or captions"],
  [["descriptions"], "descriptions"],
  [["chapters"], "chapters"],
];

type Media = { open: OpenElement; defaults: Set<string>; tracks: Set<string> };

/** Tracks of a media element: their language, one default of each kind, and none twice. */
export const watchTracks: DocumentRule = (report) => {
  const media: Media[] = [];
  const fault = (open: OpenElement, attribute: string, message: string) =>
    report(open, {
      rule: `track/${attribute}`,
      message,
      section: elementSection("track"),
      ...(has(open, attribute) && { attribute }),
    });
  return {
    names: ["audio", "video", "track"],
    open(open) {
      if (open.name === "audio" || open.name === "video") media.push({ open, defaults: new Set(), tracks: new Set() });
      if (open.name === "track") checkTrack(open, media.at(-1));
    },
    close(open) {
      if (media.at(-1)?.open === open) media.pop();
    },
  };

  function checkTrack(open: OpenElement, around: Media | undefined): void {
    const kind = value(open, "kind")?.toLowerCase() ?? "subtitles";
    const language = value(open, "srclang")?.toLowerCase();
    if (kind === "subtitles" && language === undefined)
      fault(open, "srclang", 'A <track> with subtitles needs the attribute "srclang", their language.');
    if (!around) return;
    const key = JSON.stringify([kind, language, value(open, "label")]);
    if (around.tracks.has(key))
      fault(
        open,
        has(open, "label") ? "label" : "kind",
        `Another <track> of this <${around.open.name}> has the same kind, language and label.`,
      );
    around.tracks.add(key);
    const [, what] = KINDS.find(([kinds]) => kinds.includes(kind)) ?? [];
    if (!has(open, "default") || !what) return;
    if (around.defaults.has(what))
      fault(
        open,
        "default",
        `This is a second <track> of ${what} with the attribute "default" in <${around.open.name}>.`,
      );
    around.defaults.add(what);
  }
};
