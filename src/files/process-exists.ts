/**
 * True for a process that exists, even if it is another user's, or a zombie, which has ended but whose parent has not
 * read its exit status.
 *
 * @param target a process id, or that of a process group as a negative number
 */
export function processExists(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
