/** Neovim's filetype in the identifiers of the Language Server Protocol; `plaintext` without one. */
export function languageIdOf(filetype: string): string {
  // `filetype` may hold several, as in `html.handlebars`.
  const [first = ''] = filetype.split('.');
  return DIFFERENT.get(first) ?? (first === '' ? 'plaintext' : first);
}

/** Of a file whose buffer has no filetype because it is not loaded: by the end of its name, where that is plain. */
export function likelyLanguageId(path: string): string {
  const [, extension = ''] = /\.([^./]+)$/.exec(path) ?? [];
  return BY_EXTENSION.get(extension.toLowerCase()) ?? 'plaintext';
}

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    c: 'c h',
    cpp: 'cc cpp cxx hh hpp',
    csharp: 'cs',
    css: 'css',
    go: 'go',
    html: 'html htm',
    java: 'java',
    javascript: 'js mjs cjs',
    javascriptreact: 'jsx',
    json: 'json',
    kotlin: 'kt kts',
    lisp: 'lisp cl asd',
    lua: 'lua',
    markdown: 'md',
    php: 'php',
    python: 'py pyi',
    ruby: 'rb',
    rust: 'rs',
    shellscript: 'sh bash zsh',
    sql: 'sql',
    swift: 'swift',
    toml: 'toml',
    typescript: 'ts mts cts',
    typescriptreact: 'tsx',
    vim: 'vim',
    xml: 'xml svg',
    yaml: 'yaml yml',
  }).flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language] as const)),
);

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
