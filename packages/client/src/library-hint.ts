/** The library's hint names an option for programmers. */
const LIBRARY_HINT = / \(if the server closes on server\/discover, use the option negotiation: "initialize"\)$/;

export function withoutLibraryHint(message: string): string {
  return message.replace(LIBRARY_HINT, '');
}

/** The same advice for the command line. */
export function withCommandLineHint(message: string): string {
  return message.replace(LIBRARY_HINT, '.\nIf the server ends because of server/discover, use --protocol 2025-11-25.');
}
