import type { ProblemMatcher } from '../problem-matchers.ts';
import type { Command } from '../run-command.ts';

/** A language server or checker to look for. A new one is one line in `PROGRAMS`. */
export type ProgramRow = ServerRow | CheckerRow;

interface Row {
  readonly command: Command;
  /** Identifiers of the Language Server Protocol. */
  readonly languages: readonly string[];
  /** Of rows with one group, the first that is found is used for a file. Rows of other groups add their diagnostics. */
  readonly group: string;
  /**
   * The program runs in the nearest folder, from the file upward, that has one of these, and is not used without one. The
   * first name is looked for in all folders before the second. Without names it runs in the workspace folder.
   */
  readonly rootFiles?: readonly string[];
  /** The npm package that brings the program, and its major versions; other versions are not used. */
  readonly versions?: { readonly package: string; readonly from?: number; readonly below?: number };
}

export interface ServerRow extends Row {
  readonly kind: 'server';
  /** A linter has diagnostics and code actions only. */
  readonly isLinter?: true;
  /** Its formatter is the usual one for its languages. */
  readonly formats?: true;
}

export interface CheckerRow extends Row {
  readonly kind: 'checker';
  /** How it reports problems. It checks one file if its command has `{file}`, and all of its folder otherwise. */
  readonly matcher: ProblemMatcher;
}

export interface LanguageAdvice {
  readonly title: string;
  readonly languages: readonly string[];
  /** A command that installs one, or the name of a program that most systems have a package of. */
  readonly install: string;
}

const SCRIPT = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];
const ESLINT_CONFIG = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((end) => `eslint.config.${end}`);
const OLD_ESLINT_CONFIG = [
  '.eslintrc.json',
  '.eslintrc.js',
  '.eslintrc.cjs',
  '.eslintrc.yml',
  '.eslintrc.yaml',
  '.eslintrc',
];
const BIOME_CONFIG = ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'];

/** `a.lua:1:7: (W211) unused variable x` */
const LUACHECK: ProblemMatcher = {
  pattern: /^ *(?<file>.+?):(?<line>\d+):(?<column>\d+): \((?<code>[WE]\d+)\) (?<message>.*)$/,
  severity: 'warning',
  source: 'luacheck',
};
/** `a.sh:2:6: note: Double quote to prevent globbing [SC2086]` */
const SHELLCHECK: ProblemMatcher = {
  pattern: /^(?<file>.+?):(?<line>\d+):(?<column>\d+): (?<severity>\w+): (?<message>.*) \[(?<code>SC\d+)\]$/,
  source: 'shellcheck',
};
/** `a.py:1:8: F401 [*] os imported but unused` */
const RUFF: ProblemMatcher = {
  pattern: /^(?<file>.+?):(?<line>\d+):(?<column>\d+): (?<code>[A-Z]+\d+) (?:\[\*\] )?(?<message>.*)$/,
  severity: 'warning',
  source: 'ruff',
};

const server = (command: string, languages: readonly string[], more: Partial<ServerRow> = {}): ServerRow => ({
  kind: 'server',
  command: words(command),
  languages,
  group: languages[0] ?? command,
  ...more,
});
const linter = (command: string, languages: readonly string[], more: Partial<ServerRow> = {}): ServerRow =>
  server(command, languages, { isLinter: true, group: words(command)[0], ...more });
const checker = (
  command: string,
  languages: readonly string[],
  matcher: ProblemMatcher,
  more: Partial<CheckerRow> = {},
): CheckerRow => ({
  kind: 'checker',
  command: words(command),
  languages,
  matcher,
  group: words(command)[0],
  ...more,
});

/** In order of preference within a group. Servers are preferred to checkers, and the project's own programs to others. */
export const PROGRAMS: readonly ProgramRow[] = [
  server('tsc --lsp --stdio', SCRIPT, { versions: { package: 'typescript', from: 7 } }),
  server('vtsls --stdio', SCRIPT),
  server('typescript-language-server --stdio', SCRIPT),
  checker('tsc --noEmit --pretty false', SCRIPT, 'tsc', {
    group: 'typescript',
    rootFiles: ['tsconfig.json'],
    versions: { package: 'typescript', below: 7 },
  }),
  linter('biome lsp-proxy', [...SCRIPT, 'json', 'jsonc', 'css', 'graphql'], { rootFiles: BIOME_CONFIG, formats: true }),
  checker('eslint --format json {file}', SCRIPT, 'eslint-json', {
    rootFiles: [...ESLINT_CONFIG, ...OLD_ESLINT_CONFIG],
  }),
  server('basedpyright-langserver --stdio', ['python']),
  server('pyright-langserver --stdio', ['python']),
  server('ty server', ['python']),
  server('pylsp', ['python']),
  server('jedi-language-server', ['python']),
  linter('ruff server', ['python'], { formats: true }),
  checker('ruff check --output-format concise {file}', ['python'], RUFF),
  server('gopls', ['go'], { formats: true }),
  server('rust-analyzer', ['rust'], { rootFiles: ['Cargo.lock', 'Cargo.toml'], formats: true }),
  server('clangd', ['c', 'cpp', 'objective-c', 'objective-cpp']),
  server('lua-language-server', ['lua']),
  checker('luacheck --codes --formatter plain {file}', ['lua'], LUACHECK),
  server('bash-language-server start', ['shellscript']),
  checker('shellcheck --format gcc {file}', ['shellscript'], SHELLCHECK, { group: 'shellscript' }),
  server('zls', ['zig'], { formats: true }),
  server('ruby-lsp', ['ruby']),
  server('solargraph stdio', ['ruby']),
  server('intelephense --stdio', ['php']),
  server('phpactor language-server', ['php']),
  server('jdtls', ['java']),
  server('kotlin-lsp --stdio', ['kotlin']),
  server('kotlin-language-server', ['kotlin']),
  server('metals', ['scala']),
  server('csharp-ls', ['csharp']),
  server('fsautocomplete', ['fsharp']),
  server('sourcekit-lsp', ['swift']),
  server('dart language-server --protocol=lsp', ['dart'], { formats: true }),
  server('haskell-language-server-wrapper --lsp', ['haskell']),
  server('ocamllsp', ['ocaml']),
  server('elixir-ls', ['elixir']),
  server('erlang_ls', ['erlang']),
  server('clojure-lsp', ['clojure']),
  server('julials', ['julia']),
  server('vue-language-server --stdio', ['vue']),
  server('svelteserver --stdio', ['svelte']),
  server('vscode-css-language-server --stdio', ['css', 'scss', 'less']),
  server('vscode-html-language-server --stdio', ['html']),
  server('vscode-json-language-server --stdio', ['json', 'jsonc']),
  server('yaml-language-server --stdio', ['yaml']),
  server('taplo lsp stdio', ['toml'], { formats: true }),
  server('docker-langserver --stdio', ['dockerfile']),
  server('texlab', ['latex']),
  server('vim-language-server --stdio', ['vim']),
];

const FOR_SCRIPT = 'npm i -D typescript typescript-language-server';

/** What to install for languages that no program was found for, by their names for display. */
export const ADVICE: readonly LanguageAdvice[] = [
  { title: 'TypeScript', languages: ['typescript', 'typescriptreact'], install: FOR_SCRIPT },
  { title: 'JavaScript', languages: ['javascript', 'javascriptreact'], install: FOR_SCRIPT },
  { title: 'Python', languages: ['python'], install: 'pip install basedpyright' },
  { title: 'Go', languages: ['go'], install: 'go install golang.org/x/tools/gopls@latest' },
  { title: 'Rust', languages: ['rust'], install: 'rustup component add rust-analyzer' },
  { title: 'C', languages: ['c'], install: 'clangd' },
  { title: 'C++', languages: ['cpp'], install: 'clangd' },
  { title: 'C#', languages: ['csharp'], install: 'dotnet tool install -g csharp-ls' },
  { title: 'Java', languages: ['java'], install: 'jdtls' },
  { title: 'Kotlin', languages: ['kotlin'], install: 'kotlin-lsp' },
  { title: 'Scala', languages: ['scala'], install: 'metals' },
  { title: 'Ruby', languages: ['ruby'], install: 'gem install ruby-lsp' },
  { title: 'PHP', languages: ['php'], install: 'npm i -g intelephense' },
  { title: 'Lua', languages: ['lua'], install: 'lua-language-server' },
  { title: 'Shell', languages: ['shellscript'], install: 'shellcheck' },
  { title: 'Swift', languages: ['swift'], install: 'the Swift toolchain' },
  { title: 'Dart', languages: ['dart'], install: 'the Dart SDK' },
  { title: 'Zig', languages: ['zig'], install: 'zls' },
  { title: 'Haskell', languages: ['haskell'], install: 'ghcup install hls' },
  { title: 'OCaml', languages: ['ocaml'], install: 'opam install ocaml-lsp-server' },
  { title: 'Elixir', languages: ['elixir'], install: 'elixir-ls' },
  { title: 'Vue', languages: ['vue'], install: 'npm i -D @vue/language-server' },
  { title: 'Svelte', languages: ['svelte'], install: 'npm i -D svelte-language-server' },
];

function words(command: string): Command {
  const [program = '', ...args] = command.split(' ');
  return [program, ...args];
}
