import { visible } from '@hawser/page-parts/visible-text';
import type { ComponentChildren } from 'preact';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { chosenVariants } from './chosen-variants.ts';
import { type Draft, draftOf, draftValue, type FieldProblem, newDraft } from './draft.ts';
import { Field } from './field-view.tsx';
import { GrowingText } from './inputs.tsx';
import { pathInWords, problemsOf } from './schema-problems.ts';
import { partsOf, type Schema } from './schema-shape.ts';
import type { Validator } from './validator.ts';

export interface SchemaFormProps {
  readonly schema: Schema;
  readonly validator: Validator;
  /** The value to begin with; undefined for an empty form. */
  readonly initial: unknown;
  /** On the button. */
  readonly action: string;
  readonly isBusy: boolean;
  /** Gets a value that matches the schema, or that the user wants to send all the same. */
  readonly submit: (value: unknown) => void;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

type Mode = 'form' | 'json';

interface Check {
  readonly problems: readonly FieldProblem[];
  /** What would be sent; undefined if there is no value yet. */
  readonly value: { readonly json: unknown } | undefined;
}

const UNCHECKED: Check = { problems: [], value: undefined };

/** A form made from a schema, or its value as JSON. It is checked when it is sent. */
export function SchemaForm({ schema, validator, initial, action, isBusy, submit, children }: SchemaFormProps) {
  const parts = useMemo(() => partsOf(schema), [schema]);
  const [mode, setMode] = useState<Mode>('form');
  const [draft, setDraft] = useState<Draft>(() =>
    initial === undefined ? newDraft(parts, schema) : draftOf(initial, parts, schema),
  );
  const [text, setText] = useState('');
  const [check, setCheck] = useState<Check>(UNCHECKED);
  const form = useRef<HTMLFormElement>(null);
  // A ref, as a second submit event can come before the next render.
  const isChecking = useRef(false);
  const jsonId = useId();

  const enter = (next: Mode) => {
    if (next === mode) return;
    if (next === 'json') setText(JSON.stringify(draftValue(draft, parts, schema).value ?? {}, undefined, 2));
    else {
      const value = parsed(text);
      if (value === undefined) return setCheck({ problems: [{ path: '#', message: NOT_JSON }], value: undefined });
      setDraft(draftOf(value.json, parts, schema));
    }
    setCheck(UNCHECKED);
    setMode(next);
  };

  const checked = async (): Promise<Check> => {
    const given = mode === 'form' ? draftValue(draft, parts, schema) : jsonValue(text);
    if (given.problems.length > 0) return { problems: given.problems, value: undefined };
    const validation = await validator.check(schema, given.value);
    if (validation.kind === 'failed') {
      const message = `The schema of the server can't be used to check the value: ${validation.message}`;
      return { problems: [{ path: '#', message }], value: { json: given.value } };
    }
    const chosen = mode === 'form' ? chosenVariants(draft, parts, schema) : [];
    return { problems: problemsOf(validation.errors, chosen), value: { json: given.value } };
  };

  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy || isChecking.current) return;
    isChecking.current = true;
    const next = await checked().finally(() => {
      isChecking.current = false;
    });
    setCheck(next);
    if (next.problems.length === 0 && next.value !== undefined) return submit(next.value.json);
    // After the messages are drawn.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };

  const { problems, value } = check;
  return (
    <form ref={form} class="schema-form" onSubmit={send} noValidate>
      <ModeSwitch mode={mode} enter={enter} />
      {mode === 'form' ? (
        <Field
          label={undefined}
          {...{ parts, draft, problems }}
          root={schema}
          path="#"
          depth={0}
          isRequired
          change={setDraft}
        />
      ) : (
        <label class="field" htmlFor={jsonId}>
          <span class="field-name">JSON</span>
          <GrowingText
            id={jsonId}
            describedBy={undefined}
            isInvalid={problems.length > 0}
            isRequired
            text={text}
            change={setText}
            isCode
          />
        </label>
      )}
      {problems.length > 0 ? <Summary problems={problems} /> : null}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {action}
        </button>
        {problems.length > 0 && value !== undefined ? (
          <button type="button" onClick={() => submit(value.json)} disabled={isBusy}>
            {action} anyway
          </button>
        ) : null}
        {children}
        {mode === 'json' ? <span class="hint">Ctrl+Enter does the same.</span> : null}
      </div>
    </form>
  );
}

function ModeSwitch({ mode, enter }: { readonly mode: Mode; enter(mode: Mode): void }) {
  return (
    <fieldset class="segments">
      <legend class="sr-only">How to enter the value</legend>
      {(['form', 'json'] as const).map((each) => (
        <button key={each} type="button" aria-pressed={mode === each} onClick={() => enter(each)}>
          {each === 'form' ? 'Form' : 'JSON'}
        </button>
      ))}
    </fieldset>
  );
}

function Summary({ problems }: { readonly problems: readonly FieldProblem[] }) {
  return (
    <div class="problem" role="alert">
      <p>The value does not fit the schema:</p>
      <ul>
        {problems.slice(0, MAX_SHOWN).map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {path === '#' ? null : <code>{visible(pathInWords(path))}</code>} {visible(message)}
          </li>
        ))}
      </ul>
      {problems.length > MAX_SHOWN ? <p>And {problems.length - MAX_SHOWN} more.</p> : null}
    </div>
  );
}

const MAX_SHOWN = 20;
const NOT_JSON = 'This is not JSON. Correct it first.';

function jsonValue(text: string): { readonly value: unknown; readonly problems: readonly FieldProblem[] } {
  try {
    return { value: JSON.parse(text), problems: [] };
  } catch (error) {
    return { value: undefined, problems: [{ path: '#', message: `This is not JSON: ${(error as Error).message}` }] };
  }
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
