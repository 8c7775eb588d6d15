import type { Environment } from './environment.ts';

/** What the user can give to a command, and what its help says. */
export interface CommandSyntax {
  readonly name: string;
  readonly description: string;
  /** Its one argument, as shown in the help; it takes none without this. */
  readonly argument?: string;
  /** What is meant without it; it must be given if this is absent. */
  readonly argumentDefault?: string;
  /** What it can be. */
  readonly choices?: readonly string[];
  /** What its further arguments are called in the help. They are passed to `run`; options can stand between them. */
  readonly more?: string;
  /** What follows its argument or, if it has none, its options, as shown in the help: passed to `run` unread. */
  readonly rest?: string;
  readonly options: readonly OptionSpec[];
  /** Printed at the end of its help. */
  readonly notes?: string;
}

/** One command of a program. `Around` is what it needs of its environment. */
export interface Command<Around extends Environment = Environment> extends CommandSyntax {
  /** `flags` has a member for each option that was given or has a default, in camel case. */
  run(flags: Flags, environment: Around, argument: string, rest: readonly string[]): Promise<void>;
}

/** What runs a command. Its syntax says which flags it gets. */
export type CommandFunction<Around> = (
  flags: never,
  environment: Around,
  argument: string,
  rest: readonly string[],
) => void | Promise<void>;

/** A command whose code is loaded when it runs: loading that of every command would take longer than most of them. */
export function loadedWhenRun<Around extends Environment>(
  syntax: CommandSyntax,
  load: () => Promise<CommandFunction<Around>>,
): Command<Around> {
  return {
    ...syntax,
    run: async (flags, environment, argument, rest) => {
      const run = await load();
      await run(flags as never, environment, argument, rest);
    },
  };
}

export interface OptionSpec {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** What its value is called in the help; an option without one is true or false. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The text that is meant if the option is absent. */
  readonly default?: string;
  /** Each value counts, not only the last. Its flag is a list. */
  readonly isList?: true;
  /** Throws an Error that says what is wrong with the text. */
  readonly parse?: (text: string) => unknown;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export type Flags = Readonly<Record<string, unknown>>;

export function flagNameOf({ name }: OptionSpec): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
