import { parseAst } from 'vitest/node';

/** One import as it is written. */
export interface Import {
  /** Undefined when it is computed. */
  readonly specifier: string | undefined;
  /** Leaves no trace in the JavaScript. `import { type X }` does leave one: verbatimModuleSyntax keeps `import {}`. */
  readonly kind: 'type' | 'value';
  readonly line: number;
}

/** A place that reads process.env or process.argv. */
export interface EnvironmentRead {
  readonly what: 'process.env' | 'process.argv';
  readonly line: number;
}

export interface SourceFacts {
  readonly imports: readonly Import[];
  readonly environmentReads: readonly EnvironmentRead[];
}

/** Finds every static import, re-export, dynamic import, require and import type of a file. Throws on a syntax error. */
export function readSource(path: string, source: string): SourceFacts {
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  const imports: Import[] = [];
  const environmentReads: EnvironmentRead[] = [];
  const lineAt = (node: Node): number => source.slice(0, node.start).split('\n').length;
  const nodes = [...everyNode(parseAst(source, { lang }, path))];
  const processNames = new Set(['process', ...nodes.flatMap(namesOfProcess)]);

  for (const node of nodes) {
    const found = importOf(node);
    if (found !== undefined) imports.push({ ...found, line: lineAt(node) });
    for (const what of environmentReadsOf(node, processNames)) environmentReads.push({ what, line: lineAt(node) });
  }
  return { imports, environmentReads };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [property: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function* everyNode(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* everyNode(item);
  } else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) yield* everyNode(child);
  }
}

function importOf(node: Node): Omit<Import, 'line'> | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: textOf(node.source), kind: kindOf(node.importKind) };
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return isNode(node.source) ? { specifier: textOf(node.source), kind: kindOf(node.exportKind) } : undefined;
    case 'ImportExpression':
      return { specifier: textOf(node.source), kind: 'value' };
    case 'TSImportType':
      return { specifier: textOf(node.source), kind: 'type' };
    case 'TSImportEqualsDeclaration': {
      const reference = node.moduleReference;
      if (!isNode(reference) || reference.type !== 'TSExternalModuleReference') return undefined;
      return { specifier: textOf(reference.expression), kind: kindOf(node.importKind) };
    }
    case 'CallExpression':
      if (!isIdentifier(node.callee, 'require') || !Array.isArray(node.arguments)) return undefined;
      return { specifier: textOf(node.arguments[0]), kind: 'value' };
    default:
      return undefined;
  }
}

function kindOf(written: unknown): Import['kind'] {
  return written === 'type' ? 'type' : 'value';
}

/** The text of a string or of a template without holes. */
function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis) || node.quasis.length !== 1) return undefined;
  return node.quasis[0].value.cooked;
}

/** Names under which a file imports the process object itself. */
function namesOfProcess(node: Node): string[] {
  return processSpecifiers(node)
    .filter(({ type }) => type === 'ImportDefaultSpecifier' || type === 'ImportNamespaceSpecifier')
    .map(({ local }) => nameOf(local));
}

function environmentReadsOf(node: Node, processNames: ReadonlySet<string>): EnvironmentRead['what'][] {
  const isProcess = (value: unknown): boolean =>
    processNames.has(nameOf(value)) ||
    (isNode(value) && value.type === 'MemberExpression' && propertyOf(value) === 'process');
  switch (node.type) {
    case 'MemberExpression':
      return isProcess(node.object) ? readsNamed([propertyOf(node)]) : [];
    case 'VariableDeclarator':
      return isProcess(node.init) ? readsNamed(destructuredNames(node.id)) : [];
    case 'ImportDeclaration':
      return readsNamed(processSpecifiers(node).map(({ imported }) => nameOf(imported)));
    default:
      return [];
  }
}

function readsNamed(names: readonly string[]): EnvironmentRead['what'][] {
  return names.flatMap((name) => (name === 'env' || name === 'argv' ? [`process.${name}` as const] : []));
}

function processSpecifiers(node: Node): Node[] {
  const specifier = node.type === 'ImportDeclaration' ? textOf(node.source) : undefined;
  if (specifier !== 'node:process' && specifier !== 'process') return [];
  return Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
}

function destructuredNames(pattern: unknown): string[] {
  if (!isNode(pattern) || pattern.type !== 'ObjectPattern' || !Array.isArray(pattern.properties)) return [];
  return pattern.properties.filter(isNode).map(({ key }) => nameOf(key));
}

/** The name after the dot, or the text between the brackets. */
function propertyOf(member: Node): string {
  return member.computed === true ? (textOf(member.property) ?? '') : nameOf(member.property);
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' && typeof node.name === 'string' ? node.name : '';
}

function isIdentifier(node: unknown, name: string): boolean {
  return nameOf(node) === name;
}
