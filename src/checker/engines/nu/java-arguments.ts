/** Bytes of a document: 10 MB of text in any encoding, as UTF-8. */
export const MAX_DOCUMENT_BYTES = 40_000_000;

/** Enough for a document of 10 MB and others of usual size. */
const HEAP_MB = 512;
/** With less, pages of usual size fail. */
const MIN_HEAP_MB = 192;
/** For the checker itself, and for Java outside of its heap: 200 MB each. */
const OUTSIDE_HEAP_MB = 400;

/** The heap of Java on a machine, or in a container, with this much memory. */
export function heapFor(memoryMb: number): number {
  return Math.max(MIN_HEAP_MB, Math.min(HEAP_MB, memoryMb - OUTSIDE_HEAP_MB));
}

type Settings = {
  heapMb: number;
  /** The process's own folder. */
  folder: string;
  logFile: string;
  /** The only path under which documents are accepted. */
  path: string;
};

/**
 * The arguments of Java as the text of an argument file, with the heap as given and everything else bounded.
 *
 * @see JDK documentation, The java Command, "java Command-Line Argument Files"
 */
export function javaArguments(jar: string, { heapMb, folder, logFile, path }: Settings): string {
  const virtualMachine = [
    `-Xmx${heapMb}m`,
    // Nu compiles its grammar by a deep recursion, for which the main thread's default stack is sometimes too small.
    "-Xss4m",
    "-XX:MaxDirectMemorySize=64m",
    "-XX:+ExitOnOutOfMemoryError",
    // Halves the CPU time of the start, and adds a tenth for each page.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    // No files outside of its folder, and no other process can attach to it.
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-XX:+IgnoreUnrecognizedVMOptions",
  ];
  const properties = {
    "java.io.tmpdir": folder,
    "user.home": folder,
    "java.awt.headless": "true",
    "nu.validator.datatype.warn": "true",
    "nu.validator.servlet.bind-address": "127.0.0.1",
    "nu.validator.servlet.max-file-size": String(MAX_DOCUMENT_BYTES),
    "nu.validator.servlet.path.generic": path,
    // Services that are not used, among them one that loads documents from other hosts.
    "nu.validator.servlet.path.html5": `${path}html5`,
    "nu.validator.servlet.path.parsetree": `${path}parsetree`,
    "nu.validator.servlet.read-local-log4j-properties": "1",
    "nu.validator.servlet.log4j-properties": logFile,
  };
  const all = [
    ...virtualMachine,
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    // Port 0: the system chooses a free one, which Java keeps.
    ...["-cp", jar, "nu.validator.servlet.Main", "0"],
  ];
  return `${all.map(quote).join("\n")}\n`;
}

function quote(argument: string): string {
  return `"${argument.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Logs only the line with the port. */
export const logSettings = `log4j.rootLogger=OFF
log4j.logger.org.eclipse.jetty.server.AbstractConnector=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%m%n
`;
