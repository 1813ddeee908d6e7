/** A rule that silences findings. */
export type Muting = { id: string; url_match: string; message: string };

/**
 * The first muting that silences a finding, if any: the page's URL contains its `url_match` and the
 * finding's text its `message`, regardless of case.
 *
 * @param text an HTML issue's message or an a11y issue's help
 */
export function findMuting(mutings: readonly Muting[], url: string, text: string): Muting | undefined {
  if (mutings.length === 0) return undefined;
  const page = url.toLowerCase();
  const finding = text.toLowerCase();
  return mutings.find(
    (muting) => page.includes(muting.url_match.toLowerCase()) && finding.includes(muting.message.toLowerCase()),
  );
}
