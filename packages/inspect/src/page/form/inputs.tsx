import { visible } from '@hawser/page-parts/visible-text';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { InputProps } from './field-view.tsx';
import type { Option, Shape } from './schema-shape.ts';

interface TextProps extends InputProps {
  readonly text: string;
  readonly change: (text: string) => void;
}

type InputType = 'text' | 'date' | 'email' | 'url';

/** Inputs of the browser for formats of JSON Schema, where their texts are the same. */
const INPUT_TYPES: Readonly<Record<string, InputType>> = { date: 'date', email: 'email', uri: 'url' };

export function TextInput({ text, shape, change, ...input }: TextProps & { readonly shape: Shape }) {
  const type = shape.kind === 'text' ? INPUT_TYPES[shape.format ?? ''] : undefined;
  if (type !== undefined) return <LineInput {...input} type={type} text={text} change={change} />;
  return <GrowingText {...input} text={text} change={change} isCode={false} />;
}

export function NumberInput({ text, shape, change, ...input }: TextProps & { readonly shape: Shape }) {
  const isInteger = shape.kind === 'number' && shape.isInteger;
  return <LineInput {...input} type="text" inputMode={isInteger ? 'numeric' : 'decimal'} text={text} change={change} />;
}

export function JsonInput(props: TextProps) {
  return <GrowingText {...props} isCode={true} />;
}

interface LineProps extends TextProps {
  readonly type: InputType;
  readonly inputMode?: 'numeric' | 'decimal';
}

function LineInput({ id, describedBy, isInvalid, isRequired, type, inputMode, text, change }: LineProps) {
  return (
    <input
      id={id}
      // Its types tell the roles of inputs apart, of which this sets none.
      type={type as 'text'}
      inputMode={inputMode}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      aria-required={isRequired}
      autocomplete="off"
      value={text}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

const MAX_HEIGHT = 320;

/** Grows with its text. Enter submits the form and Shift+Enter adds a line; in code it is Ctrl+Enter and Enter. */
export function GrowingText({
  id,
  describedBy,
  isInvalid,
  isRequired,
  text,
  change,
  isCode,
}: TextProps & { readonly isCode: boolean }) {
  const element = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = element.current;
    if (area === null) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight + 2, MAX_HEIGHT)}px`;
  }, [text]);
  const submit = (event: KeyboardEvent) => {
    const isMeant = event.ctrlKey || event.metaKey || (!isCode && !event.shiftKey);
    // While characters are composed, Enter chooses one.
    if (event.key !== 'Enter' || !isMeant || event.isComposing) return;
    event.preventDefault();
    element.current?.form?.requestSubmit();
  };
  return (
    <textarea
      ref={element}
      id={id}
      class={isCode ? 'code' : ''}
      rows={isCode ? 3 : 1}
      spellcheck={!isCode}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      aria-required={isRequired}
      value={text}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={submit}
    />
  );
}

interface ChoiceProps extends InputProps {
  readonly index: number;
  readonly shape: Shape;
  readonly change: (index: number) => void;
}

export function ChoiceInput({ id, describedBy, isInvalid, isRequired, index, shape, change }: ChoiceProps) {
  const options = optionsOf(shape);
  const [only] = options;
  if (options.length === 1 && only !== undefined) return <output id={id}>{visible(only.label)}</output>;
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      aria-required={isRequired}
      value={String(index)}
      onChange={(event) => change(Number(event.currentTarget.value))}
    >
      {index < 0 ? <option value="-1">Choose…</option> : null}
      {options.map(({ label }, at) => (
        <option key={at} value={String(at)}>
          {visible(label)}
        </option>
      ))}
    </select>
  );
}

interface BooleanProps extends InputProps {
  /** Undefined if it is left out. */
  readonly value: boolean | undefined;
  readonly isOptional: boolean;
  readonly change: (value: boolean | undefined) => void;
}

export function BooleanInput({ id, describedBy, isInvalid, value, isOptional, change }: BooleanProps) {
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => change(BOOLEANS[event.currentTarget.value])}
    >
      {isOptional ? <option value="">not sent</option> : null}
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}

/** By the value of the option; another is none. */
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

interface ChoicesProps extends InputProps {
  readonly indices: readonly number[];
  readonly shape: Shape;
  readonly change: (indices: readonly number[]) => void;
}

export function ChoicesInput({ indices, shape, change }: ChoicesProps) {
  const toggle = (index: number, isPicked: boolean) =>
    change(isPicked ? [...indices, index].sort((one, other) => one - other) : indices.filter((each) => each !== index));
  return (
    <div class="choices">
      {optionsOf(shape).map(({ label }, index) => (
        <label key={index} class="switch">
          <input
            type="checkbox"
            checked={indices.includes(index)}
            onChange={(event) => toggle(index, event.currentTarget.checked)}
          />
          <span>{visible(label)}</span>
        </label>
      ))}
    </div>
  );
}

function optionsOf(shape: Shape): readonly Option[] {
  return shape.kind === 'choice' || shape.kind === 'choices' ? shape.options : [];
}
