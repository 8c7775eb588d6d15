/** A row of docs/requirements.md. */
export interface Requirement {
  readonly id: string;
  readonly requirement: string;
  readonly source: string;
  /** Paths of this repository. */
  readonly places: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly line: number;
}

export type Evidence =
  | { readonly kind: 'test'; readonly file: string; readonly name: string }
  | { readonly kind: 'waits'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly text: string };

/** What there is to be named: the tests of each file, by their full names with ` > ` between the parts. */
export interface Repository {
  readonly tests: ReadonlyMap<string, ReadonlySet<string>>;
  exists(path: string): boolean;
}

/** The rows of every table whose first column is called id, and what is wrong with those that cannot be read. */
export function readRequirements(markdown: string): { rows: Requirement[]; flaws: string[] } {
  const rows: Requirement[] = [];
  const flaws: string[] = [];
  let inTable = false;
  for (const [index, text] of markdown.split('\n').entries()) {
    const line = index + 1;
    const cells = text.startsWith('|') ? cellsOf(text) : undefined;
    if (cells === undefined) inTable = false;
    else if (cells[0] === 'id') inTable = true;
    else if (inTable && !/^:?-+:?$/.test(cells[0] ?? '')) {
      const row = rowOf(cells, line);
      if (typeof row === 'string') flaws.push(`line ${line}: ${row}`);
      else rows.push(row);
    }
  }
  return { rows, flaws };
}

/** Everything that is wrong with the document, one sentence each. */
export function checkRequirements(markdown: string, { tests, exists }: Repository): string[] {
  const { rows, flaws } = readRequirements(markdown);
  const seen = new Set<string>();
  for (const { id, places, evidence, line } of rows) {
    const report = (what: string) => flaws.push(`line ${line}: ${id} ${what}`);
    if (seen.has(id)) report('is there twice');
    seen.add(id);
    for (const place of places) if (!exists(place)) report(`lives in ${place}, which does not exist`);
    if (evidence.length === 0) report('names neither a test nor what it waits for');
    for (const item of evidence) {
      if (item.kind === 'unreadable') report(`has evidence that cannot be read: ${item.text}`);
      if (item.kind !== 'test') continue;
      const names = tests.get(item.file);
      if (names === undefined) report(`names ${item.file}, which is no test file`);
      else if (!names.has(item.name)) report(`names a test that ${item.file} does not have: ${item.name}`);
    }
  }
  return flaws;
}

function cellsOf(text: string): string[] {
  const cells = text.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
  return cells.slice(1, cells.at(-1) === '' ? -1 : undefined);
}

function rowOf(cells: readonly string[], line: number): Requirement | string {
  const [id = '', requirement = '', source = '', place = '', shownBy = '', ...more] = cells;
  if (cells.length < 5 || more.length > 0) return `a row has 5 cells, this one has ${cells.length}`;
  if (!/^[A-Z]+-\d+$/.test(id)) return `an id is a word in capitals and a number: ${id}`;
  if (requirement === '' || source === '') return `${id} lacks its requirement or its source`;
  const places = [...place.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
  const parts = shownBy.split('<br>').map((part) => part.trim());
  return { id, requirement, source, places, evidence: parts.filter((part) => part !== '').map(evidenceOf), line };
}

function evidenceOf(text: string): Evidence {
  if (/^waits for: .+ \(issue \d+\)$/.test(text)) return { kind: 'waits', text };
  const [, file, name] = /^`([^`]+)` › (.+)$/.exec(text) ?? [];
  if (file === undefined || name === undefined) return { kind: 'unreadable', text };
  return { kind: 'test', file, name: name.replaceAll(' › ', ' > ') };
}
