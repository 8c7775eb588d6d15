/** A path relative to the folder of the workspace that contains it; others stay as they are. */
export function nameIn(folders: readonly string[], path: string): string {
  const folder = folders.find((each) => path.startsWith(`${each}/`));
  return folder === undefined ? path : path.slice(folder.length + 1);
}
