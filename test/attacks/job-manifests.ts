/** Texts that whoever may create a Report in a namespace can write into its annotations. */
export const hostileTexts: { name: string; text: string }[] = [
  { name: "a reference to the database's URL", text: "$(DATABASE_URL)" },
  { name: "a reference after an escape", text: "$$$(DATABASE_URL)" },
  { name: "a reference inside another", text: "$($(DATABASE_URL))" },
  { name: "a reference after a lone dollar", text: "$ $(BASIC_AUTH)" },
  { name: "a reference that is cut in two", text: "$(DATABASE_URL" },
  { name: "a line feed and a second log line", text: 'x"}\n{"level":"error","message":"forged"}' },
  { name: "a NUL character", text: "a\0b" },
  { name: "half of a surrogate pair", text: "\ud800" },
  { name: "more than an argument may have", text: "x".repeat(200_000) },
  { name: "a shell's substitution", text: "`id` $(id) $IFS" },
  { name: "an option of the program", text: "--inspect=0.0.0.0" },
];
