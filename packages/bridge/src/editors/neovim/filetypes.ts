/** Neovim's filetype in the identifiers of the Language Server Protocol; `plaintext` without one. */
export function languageIdOfFiletype(filetype: string): string {
  // `filetype` may hold several, as in `html.handlebars`.
  const [first = ''] = filetype.split('.');
  return DIFFERENT.get(first) ?? (first === '' ? 'plaintext' : first);
}

/** Those that are not called the same. */
const DIFFERENT: ReadonlyMap<string, string> = new Map([
  ['bash', 'shellscript'],
  ['conf', 'properties'],
  ['cs', 'csharp'],
  ['dosbatch', 'bat'],
  ['dosini', 'ini'],
  ['fsharp_project', 'fsharp'],
  ['gitcommit', 'git-commit'],
  ['gitrebase', 'git-rebase'],
  ['gitignore', 'ignore'],
  ['jproperties', 'properties'],
  ['make', 'makefile'],
  ['objc', 'objective-c'],
  ['objcpp', 'objective-cpp'],
  ['plaintex', 'tex'],
  ['ps1', 'powershell'],
  ['sh', 'shellscript'],
  ['tex', 'latex'],
  ['text', 'plaintext'],
  ['zsh', 'shellscript'],
]);
