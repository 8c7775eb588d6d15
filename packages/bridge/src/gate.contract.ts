import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FileEdit, Gate, GateCall, HookOptions, HookOutput } from './gate.ts';

export interface GateSubject {
  /** Its name, whose folder has the recorded inputs. */
  readonly agent: string;
  readonly gate: Gate;
  /** Inputs in the form that the agent gives its hook, by the version that does. Each changes `beta` to `BETA` in t.txt. */
  readonly edits: Readonly<Record<string, unknown>>;
  /** An input that writes a new file n.txt with the text `new one\n`. */
  readonly newFile: unknown;
  /** An input that runs the command `echo x`. */
  readonly shell: unknown;
  /** For an agent that has commands held. */
  readonly held?: {
    /** The input of the hook after that command. */
    readonly after: unknown;
    /** Inputs of commands that can't be held. */
    readonly unheld: readonly unknown[];
    /** The command that the agent runs after this answer. */
    readonly command: (output: HookOutput) => unknown;
    /** What its model reads after this answer. */
    readonly told: (output: HookOutput) => unknown;
  };
  /** Inputs about nothing that changes. */
  readonly ignored: readonly unknown[];
  /** What the agent's own tool makes of the rewritten input, from the texts of the files; by its documented rules. */
  readonly run: (output: HookOutput, files: ReadonlyMap<string, string>) => ReadonlyMap<string, string>;
  /** Whether the agent takes this for a refusal, and what its model reads. */
  readonly refusal: (output: HookOutput) => string | undefined;
}

const OLD = 'alpha\nbeta\ngamma\ndelta\n';
const NEW = 'alpha\nBETA\ngamma\ndelta\n';

/** What versions of an agent gave their hook before they changed `beta` to `BETA` in t.txt, and before they made n.txt. */
function recordedInputs(agent: string): readonly { version: string; edit: unknown; newFile: unknown }[] {
  const file = new URL(`agents/${agent}/hook-inputs.json`, import.meta.url);
  const versions: Readonly<Record<string, readonly unknown[]>> = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(versions).map(([version, [edit, newFile]]) => ({ version, edit, newFile }));
}

/** What every gate promises, whatever its agent calls things. */
export function describeGate(name: string, subject: GateSubject): void {
  const { gate, edits } = subject;

  describe(`the gate of ${name}`, () => {
    it.each(Object.entries(edits))('reads the input of version %s', (_version, input) => {
      const { edit, source } = onlyEdit(gate.read(input));
      expect(edit.path).toMatch(/(^|\/)t\.txt$/);
      expect(edit.apply(OLD)).toBe(NEW);
      expect(source.cwd).toMatch(/^\//);
    });

    it.each(Object.entries(edits))('says that it can not know the text of another file: %s', (_version, input) => {
      const { edit } = onlyEdit(gate.read(input));
      expect(edit.apply('nothing of the kind\n')).toBeInstanceOf(Error);
      expect(edit.apply(undefined)).toBeInstanceOf(Error);
    });

    it.each([
      ['as proposed', NEW],
      ['in part, or edited', 'alpha\nbeta\nGAMMA $1 $&\ndelta\n'],
      ['with the last line gone', 'alpha\n'],
    ])('what was accepted is what is written: %s', (_what, text) => {
      for (const input of Object.values(edits)) {
        const { edit } = onlyEdit(gate.read(input));
        const files = [{ edit, oldText: OLD, text }];
        const output = gate.answer(input, { kind: 'accepted', files, words: 'Keep it.' });
        expect(subject.refusal(output)).toBeUndefined();
        expect(output.stdout).toContain('Keep it.');
        const written = subject.run(output, new Map([[edit.path, OLD]]));
        expect([...written.values()]).toEqual([text]);
      }
    });

    it('a new file is written as it was accepted', () => {
      const { edit } = onlyEdit(gate.read(subject.newFile));
      expect(edit.apply(undefined)).toBe('new one\n');
      const files = [{ edit, oldText: undefined, text: 'new two\n' }];
      const output = gate.answer(subject.newFile, { kind: 'accepted', files, words: '' });
      expect([...subject.run(output, new Map())]).toEqual([[edit.path, 'new two\n']]);
    });

    it.each(recordedInputs(subject.agent))('what version $version gave its hook is read, and answered', (recorded) => {
      const { edit } = onlyEdit(gate.read(recorded.edit));
      expect([edit.path, edit.apply(OLD)]).toEqual([expect.stringMatching(/(^|\/)t\.txt$/), NEW]);
      const accepted = { kind: 'accepted', files: [{ edit, oldText: OLD, text: 'other\n' }], words: '' } as const;
      const written = subject.run(gate.answer(recorded.edit, accepted), new Map([[edit.path, OLD]]));
      expect([...written.values()]).toEqual(['other\n']);
      const { edit: made } = onlyEdit(gate.read(recorded.newFile));
      expect([made.path, made.apply(undefined)]).toEqual([expect.stringMatching(/(^|\/)n\.txt$/), 'new one\n']);
    });

    it('two versions of the agent are recorded', () => {
      expect(recordedInputs(subject.agent).length).toBeGreaterThanOrEqual(2);
    });

    it('a refusal tells the model why', () => {
      for (const input of Object.values(edits)) {
        const output = gate.answer(input, { kind: 'refused', reason: 'Not "this"\nway.' });
        expect(subject.refusal(output)).toBe('Not "this"\nway.');
      }
      expect(subject.refusal(gate.refuse('The bridge has ended'))).toBe('The bridge has ended');
    });

    it('a shell command is shown as it is, and runs as it is', () => {
      expect(gate.read(subject.shell)).toMatchObject({ kind: 'command', text: 'echo x' });
      expect(subject.refusal(gate.answer(subject.shell, { kind: 'allowed' }))).toBeUndefined();
    });

    const { held } = subject;
    if (held !== undefined) {
      it('a shell command is replaced by the one that holds its changes, with its other arguments', () => {
        const output = gate.holding?.replace(subject.shell, '. run');
        expect(output && held.command(output)).toBe('. run');
        expect(output?.exitCode).toBe(0);
      });

      it('after a shell command its changes are reviewed, and the model is told', () => {
        expect(gate.read(held.after)).toMatchObject({ kind: 'ran', text: 'echo x', cwd: expect.stringMatching(/^\//) });
        const output = gate.holding?.tell(held.after, 'Kept: "a"\nb.');
        expect(output && held.told(output)).toBe('Kept: "a"\nb.');
      });

      it.each(held.unheld.map((input) => [input]))('says why a command is not held: %j', (input) => {
        expect(gate.read(input)).toMatchObject({ kind: 'command', shell: { unheld: expect.any(String) } });
      });

      it('runs a hook after commands only where they are held', () => {
        const tools = (shell: HookOptions['shell']) => JSON.stringify(entriesOf(gate, { shell }));
        expect(tools('hold')).not.toBe(tools('ask'));
      });
    } else {
      it('holds no commands', () => {
        expect(gate.holding).toBeUndefined();
      });
    }

    it('what changes nothing is not asked about', () => {
      for (const input of subject.ignored) expect(gate.read(input)).toEqual({ kind: 'ignored' });
    });

    it.each([undefined, null, 'text', [], {}, { tool_name: 1 }, { tool_name: 'Edit' }])(
      'an input that it does not know is an error, not an approval: %j',
      (input) => {
        expect(() => gate.read(input)).toThrow(/is not/);
      },
    );

    it('an input without a member that it needs is an error', () => {
      for (const input of [...Object.values(edits), subject.newFile, subject.shell]) {
        const { tool_input: _, ...rest } = input as Record<string, unknown>;
        expect(() => gate.read(rest)).toThrow();
        expect(() => gate.read({ ...rest, tool_input: {} })).toThrow();
      }
    });
  });
}

/** What the configuration of the agent gets, with `HOOK` as the command. */
export function entriesOf({ hook: { content } }: Gate, options: HookOptions): readonly object[] {
  if ('text' in content) return [{ text: content.text(['HOOK'], options) }];
  return content.flatMap(({ value }) => value('HOOK', options) ?? []);
}

function onlyEdit(call: GateCall): { edit: FileEdit; source: { readonly cwd: string } } {
  if (call.kind !== 'edits') throw new Error(`It is ${call.kind}`);
  const [edit, ...more] = call.edits;
  if (edit === undefined || more.length > 0) throw new Error('It does not change one file');
  return { edit, source: call };
}
