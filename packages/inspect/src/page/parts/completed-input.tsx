import type { CompleteParams } from '@hawser/mcp';
import { useStore } from '@hawser/page-parts/store';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Inspection } from '../inspection.ts';
import { Name } from './text.tsx';

export interface CompletedInputProps {
  readonly inspection: Inspection;
  /** What is filled in: a prompt or a template. */
  readonly reference: CompleteParams['ref'];
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  readonly value: string;
  /** The values of the other arguments. */
  readonly others: Readonly<Record<string, string>>;
  readonly change: (value: string) => void;
}

const TYPING_MS = 150;
const MAX_VALUES = 100;

/** A text field whose values the server completes, if it offers that. */
export function CompletedInput(props: CompletedInputProps) {
  const { inspection, reference, name, description, isRequired, value, others, change } = props;
  const id = useId();
  const server = useStore(inspection.server);
  const [values, setValues] = useState<readonly string[]>([]);
  const [isTyped, setTyped] = useState(false);
  const isOffered = server.kind === 'connected' && server.server.capabilities.completions !== undefined;
  useEffect(() => {
    if (!isOffered || !isTyped) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const params = { ref: reference, argument: { name, value }, context: { arguments: others } };
      const completion = await inspection.call('complete', params, controller.signal).catch(() => undefined);
      if (completion !== undefined) setValues(completion.values.slice(0, MAX_VALUES));
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [value, isOffered, isTyped, JSON.stringify(others)]);
  const type = (text: string) => {
    setTyped(true);
    change(text);
  };
  return (
    <div class="field">
      <div class="field-heading">
        <label class="field-name" htmlFor={id}>
          <Name text={name} />
        </label>
        {isRequired ? <span class="required">required</span> : null}
      </div>
      {description === undefined ? null : (
        <p class="about" id={`${id}-about`}>
          <bdi>{description.slice(0, 2000)}</bdi>
        </p>
      )}
      <input
        id={id}
        type="text"
        list={`${id}-values`}
        autocomplete="off"
        aria-required={isRequired}
        aria-describedby={description === undefined ? undefined : `${id}-about`}
        value={value}
        onFocus={() => setTyped(true)}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <datalist id={`${id}-values`}>
        {values.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  );
}
