import { basename, sep } from 'node:path';
import { TargetProblem } from './target.ts';

/** What the variables in a configuration file stand for. */
export interface Expansion {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  readonly home: string;
  /** Whether `$NAME` is a variable, too, as Gemini CLI and Qwen Code have it. One that is not set stays as it is. */
  readonly bareNames: 'expanded' | 'literal';
}

/**
 * A text with its variables replaced: `${NAME}` and `${NAME:-default}` (Claude Code, Gemini CLI), `${env:NAME}`,
 * `${workspaceFolder}` and the like (VS Code, Cursor). Throws a TargetProblem for one that has no value.
 */
export function expanded(text: string, what: string, expansion: Expansion): string {
  const { variables, workspaceFolder, home, bareNames } = expansion;
  const known: Readonly<Record<string, string>> = {
    workspaceFolder,
    workspaceFolderBasename: basename(workspaceFolder),
    userHome: home,
    pathSeparator: sep,
    '/': sep,
  };
  return text.replace(/\$(?:\{([^}]*)\}|(\w+))/g, (whole, inside: string | undefined, bare: string) => {
    if (inside === undefined) return (bareNames === 'expanded' ? variables[bare] : undefined) ?? whole;
    if (Object.hasOwn(known, inside)) return known[inside] ?? '';
    const [, name = '', standard] = /^(?:env:)?(\w+)(?::-(.*))?$/s.exec(inside) ?? [];
    if (name === '')
      throw new TargetProblem(`${what} has \${${inside}}, which only the program that owns it can fill in.`);
    const value = variables[name] ?? standard;
    if (value === undefined)
      throw new TargetProblem(`${what} needs the environment variable ${name}, which is not set.`);
    return value;
  });
}
