import { TargetProblem } from './target.ts';

/** What the variables in a configuration file stand for. */
export interface Expansion {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  readonly home: string;
}

/**
 * A text with its variables replaced: `${NAME}` and `${NAME:-default}` (Claude Code, Gemini CLI), `${env:NAME}`,
 * `${workspaceFolder}` and `${userHome}` (VS Code, Cursor). Throws a TargetProblem for one that has no value.
 */
export function expanded(text: string, what: string, { variables, workspaceFolder, home }: Expansion): string {
  return text.replace(/\$\{([^}]*)\}/g, (_, inside: string) => {
    if (inside === 'workspaceFolder') return workspaceFolder;
    if (inside === 'userHome') return home;
    const [, name = '', standard] = /^(?:env:)?(\w+)(?::-(.*))?$/s.exec(inside) ?? [];
    if (name === '')
      throw new TargetProblem(`${what} has \${${inside}}, which only the program that owns it can fill in.`);
    const value = variables[name] ?? standard;
    if (value === undefined)
      throw new TargetProblem(`${what} needs the environment variable ${name}, which is not set.`);
    return value;
  });
}
