/** Offset of the first character of each line of a document. Lines end at CRLF, LF or CR. */
export function lineStarts(source: string): number[] {
  const starts = [0];
  const hasReturns = source.includes("\r");
  for (let at = source.indexOf("\n"); at >= 0 && !hasReturns; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  for (let at = 0; at < source.length && hasReturns; at++) {
    const unit = source.charCodeAt(at);
    if (unit === 10 || (unit === 13 && source.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return starts;
}
