/** Whether a script of this type can change the page. */
export function runs(type = ""): boolean {
  return /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:jscript|livescript|javascript1\.[0-5]))$/i.test(
    type.trim(),
  );
}
