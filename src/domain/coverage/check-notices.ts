import type { CheckOutcome } from "../findings/findings.ts";
import type { CheckNotice, StoredCode } from "./notices.ts";

/** What an outcome says about what was not checked. An engine that did not end says nothing itself. */
export function noticesOf(outcome: CheckOutcome): CheckNotice[] {
  if (!("failure" in outcome)) return [...(outcome.notices ?? [])];
  const { code, detail } = outcome.failure;
  const hasEnded = !outcome.deadlineExceeded && code !== "checker_crashed";
  return hasEnded ? [] : [{ code: "engine_did_not_end", howMany: 1, detail }];
}

/**
 * Frames that were not tested: those of the page's own site, and those of others.
 *
 * @param frames each with its address, "" if it is not known, and why it was not tested
 */
export function frameNotices(page: string, frames: readonly { address: string; reason: string }[]): CheckNotice[] {
  const host = URL.parse(page)?.host;
  const isOthers = ({ address }: { address: string }): boolean => {
    const url = URL.parse(address);
    return url !== null && /^https?:$/.test(url.protocol) && url.host !== host;
  };
  const own = frames.filter((frame) => !isOthers(frame));
  const others = frames.filter(isOthers);
  return [
    ...noticeOf("frames_not_tested", own.map(textOf)),
    ...noticeOf("other_frames_not_tested", others.map(textOf)),
  ];
}

function textOf({ address, reason }: { address: string; reason: string }): string {
  return `${address.slice(0, 300) || "A frame"}: ${reason}`;
}

/** One notice for all that has the same code; none for nothing. @param details without a full stop */
export function noticeOf(code: StoredCode, [first, ...more]: readonly string[]): CheckNotice[] {
  if (first === undefined) return [];
  const rest = more.length > 0 ? `, and ${more.length} more, such as ${more[0]}` : "";
  return [{ code, howMany: 1 + more.length, detail: `${first}${rest}.` }];
}
