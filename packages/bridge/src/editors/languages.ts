import { basename } from 'node:path';

/** The language of a file by its name, in the identifiers of the Language Server Protocol; `plaintext` when unknown. */
export function languageIdOf(path: string): string {
  const name = basename(path);
  const byWholeName = byName.get(name) ?? byName.get(name.toLowerCase());
  if (byWholeName !== undefined) return byWholeName;
  for (let dot = name.indexOf('.', 1); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const language = byExtension.get(name.slice(dot + 1).toLowerCase());
    if (language !== undefined) return language;
  }
  return 'plaintext';
}

const names: Readonly<Record<string, readonly string[]>> = {
  dockerfile: ['Dockerfile', 'Containerfile'],
  makefile: ['Makefile', 'GNUmakefile', 'makefile'],
  cmake: ['CMakeLists.txt'],
  ruby: ['Gemfile', 'Rakefile'],
  shellscript: ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv'],
  ignore: ['.gitignore', '.dockerignore', '.npmignore'],
  jsonc: ['tsconfig.json', 'jsconfig.json', '.eslintrc'],
  properties: ['.editorconfig', '.npmrc'],
  'git-commit': ['COMMIT_EDITMSG'],
};

const extensions: Readonly<Record<string, readonly string[]>> = {
  bat: ['bat', 'cmd'],
  c: ['c', 'h'],
  clojure: ['clj', 'cljs', 'cljc', 'edn'],
  cpp: ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx'],
  csharp: ['cs'],
  css: ['css'],
  dart: ['dart'],
  diff: ['diff', 'patch'],
  elixir: ['ex', 'exs'],
  erlang: ['erl', 'hrl'],
  fsharp: ['fs', 'fsi', 'fsx'],
  go: ['go'],
  graphql: ['graphql', 'gql'],
  haskell: ['hs'],
  html: ['html', 'htm'],
  ini: ['ini'],
  java: ['java'],
  javascript: ['js', 'mjs', 'cjs'],
  javascriptreact: ['jsx'],
  json: ['json', 'map'],
  jsonc: ['jsonc', 'code-workspace'],
  julia: ['jl'],
  kotlin: ['kt', 'kts'],
  latex: ['tex'],
  less: ['less'],
  lisp: ['lisp', 'lsp', 'cl', 'asd', 'el'],
  lua: ['lua'],
  makefile: ['mk'],
  markdown: ['md', 'markdown'],
  'objective-c': ['m'],
  'objective-cpp': ['mm'],
  ocaml: ['ml', 'mli'],
  perl: ['pl', 'pm'],
  php: ['php'],
  powershell: ['ps1', 'psm1'],
  properties: ['properties', 'conf'],
  proto: ['proto'],
  python: ['py', 'pyi', 'pyw'],
  r: ['r'],
  ruby: ['rb', 'gemspec'],
  rust: ['rs'],
  sass: ['sass'],
  scala: ['scala', 'sc'],
  scheme: ['scm', 'ss'],
  scss: ['scss'],
  shellscript: ['sh', 'bash', 'zsh'],
  sql: ['sql'],
  svelte: ['svelte'],
  swift: ['swift'],
  toml: ['toml'],
  typescript: ['ts', 'mts', 'cts'],
  typescriptreact: ['tsx'],
  vim: ['vim'],
  vue: ['vue'],
  xml: ['xml', 'xsd', 'xsl', 'svg', 'plist'],
  yaml: ['yaml', 'yml'],
  zig: ['zig'],
};

const inverted = (table: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(table).flatMap(([language, keys]) => keys.map((key) => [key, language] as const)));
const byName = inverted(names);
const byExtension = inverted(extensions);
