import { visible } from '@hawser/page-parts/visible-text';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Name } from '../parts/text.tsx';
import { type Draft, EMPTY, type FieldProblem, newDraft, SIMPLE, shapeAt } from './draft.ts';
import { BooleanInput, ChoiceInput, ChoicesInput, JsonInput, NumberInput, TextInput } from './inputs.tsx';
import { pointerToken } from './pointer.ts';
import { keywordIn, type Parts, type Schema, typeInWords } from './schema-shape.ts';

export interface FieldProps {
  /** Undefined for the whole value, which needs none. */
  readonly label: string | undefined;
  readonly parts: Parts;
  readonly root: Schema;
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  /** A JSON pointer such as `#/a/0`. */
  readonly path: string;
  readonly depth: number;
  readonly problems: readonly FieldProblem[];
  readonly isRequired: boolean;
  /** Undefined if the field can't be left out. */
  readonly include?: { readonly isIncluded: boolean; set(isIncluded: boolean): void } | undefined;
  readonly remove?: (() => void) | undefined;
}

/** What an input gets. */
export interface InputProps {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
}

/** A field of a form, with those inside it. */
export function Field(props: FieldProps) {
  const { label, parts, root, draft, path, problems, isRequired, include, remove } = props;
  const id = useId();
  const own = problems.filter((problem) => problem.path === path);
  const description = keywordIn(parts, root, 'description');
  const isIncluded = include?.isIncluded ?? true;
  const isPresent = isIncluded || (draft !== EMPTY && SIMPLE.has(draft.kind));
  const hasDescription = typeof description === 'string' && description !== '';
  const describedBy = [hasDescription ? `${id}-about` : '', own.length > 0 ? `${id}-problem` : '']
    .filter(Boolean)
    .join(' ');
  const input: InputProps = { id, describedBy: describedBy || undefined, isInvalid: own.length > 0, isRequired };
  const isGroup = isPresent && ['object', 'list', 'choices', 'variants'].includes(draft.kind);
  const heading =
    label === undefined ? null : (
      <FieldHeading
        {...{ id, label, isGroup, isPresent, isRequired, remove }}
        // An optional boolean has one control, which has a state for absence.
        include={draft.kind === 'boolean' ? undefined : include}
        title={titleIn(parts, root, label)}
        type={typeInWords(parts, root)}
      />
    );
  const below = (
    <>
      {hasDescription ? (
        <p class="about" id={`${id}-about`}>
          <bdi>{description.slice(0, 2000)}</bdi>
        </p>
      ) : null}
      {isPresent ? <FieldInput {...props} input={input} /> : null}
      {own.map(({ message }) => (
        <p key={message} class="field-problem" id={`${id}-problem`}>
          {visible(message)}
        </p>
      ))}
    </>
  );
  if (label === undefined) return <div class="field-root">{below}</div>;
  return isGroup ? (
    <fieldset class="field group" aria-labelledby={`${id}-label`} aria-describedby={describedBy || undefined}>
      {heading}
      {below}
    </fieldset>
  ) : (
    <div class={`field ${isIncluded ? '' : 'absent'}`}>
      {heading}
      {below}
    </div>
  );
}

function titleIn(parts: Parts, root: Schema, label: string): string | undefined {
  const title = keywordIn(parts, root, 'title');
  return typeof title === 'string' && title !== '' && title !== label ? title : undefined;
}

interface HeadingProps extends Pick<FieldProps, 'include' | 'remove' | 'isRequired'> {
  readonly id: string;
  readonly label: string;
  /** What the schema calls it; undefined if it has no other name. */
  readonly title: string | undefined;
  readonly type: string;
  readonly isGroup: boolean;
  readonly isPresent: boolean;
}

function FieldHeading({ id, label, title, type, isGroup, isPresent, isRequired, include, remove }: HeadingProps) {
  const name = <Name text={title ?? label} />;
  return (
    <div class="field-heading">
      {include === undefined ? null : (
        <input
          type="checkbox"
          aria-label={`Include ${visible(label)}`}
          checked={include.isIncluded}
          onChange={(event) => include.set(event.currentTarget.checked)}
        />
      )}
      {isGroup || !isPresent ? (
        <span class="field-name" id={`${id}-label`}>
          {name}
        </span>
      ) : (
        <label class="field-name" id={`${id}-label`} htmlFor={id}>
          {name}
        </label>
      )}
      {title === undefined ? null : (
        <code class="type">
          <Name text={label} />
        </code>
      )}
      {isRequired ? <span class="required">required</span> : null}
      <span class="type">{type}</span>
      {remove === undefined ? null : (
        <button type="button" class="link" onClick={remove} aria-label={`Remove ${visible(label)}`}>
          Remove
        </button>
      )}
    </div>
  );
}

function FieldInput(props: FieldProps & { readonly input: InputProps }): ComponentChildren {
  const { parts, root, draft, change, depth, input, include } = props;
  const shape = shapeAt(parts, root, depth);
  switch (draft.kind) {
    case 'text':
      return <TextInput {...input} text={draft.text} shape={shape} change={(text) => change({ kind: 'text', text })} />;
    case 'number':
      return (
        <NumberInput {...input} text={draft.text} shape={shape} change={(text) => change({ kind: 'number', text })} />
      );
    case 'boolean':
      return (
        <BooleanInput
          {...input}
          value={include?.isIncluded === false ? undefined : draft.value}
          isOptional={include !== undefined}
          change={(value) => (value === undefined ? include?.set(false) : change({ kind: 'boolean', value }))}
        />
      );
    case 'null':
      return <output id={input.id}>null</output>;
    case 'choice':
      return (
        <ChoiceInput
          {...input}
          index={draft.index}
          shape={shape}
          change={(index) => change({ kind: 'choice', index })}
        />
      );
    case 'choices':
      return (
        <ChoicesInput
          {...input}
          indices={draft.indices}
          shape={shape}
          change={(indices) => change({ kind: 'choices', indices })}
        />
      );
    case 'json':
      return <JsonInput {...input} text={draft.text} change={(text) => change({ kind: 'json', text })} />;
    case 'variants':
      return <VariantsField {...props} draft={draft} />;
    case 'list':
      return <ListField {...props} draft={draft} />;
    case 'object':
      return <ObjectField {...props} draft={draft} />;
  }
}

type Of<Kind extends Draft['kind']> = FieldProps & {
  readonly input: InputProps;
  readonly draft: Extract<Draft, { kind: Kind }>;
};

function VariantsField({ parts, root, draft, change, path, depth, problems, input }: Of<'variants'>) {
  const shape = shapeAt(parts, root, depth);
  const variants = shape.kind === 'variants' ? shape.variants : [];
  const choose = (index: number) =>
    change({ kind: 'variants', index, draft: newDraft(variants[index]?.parts ?? [], root, depth + 1) });
  return (
    <div class="variants">
      <select
        id={input.id}
        aria-label="Alternative"
        aria-describedby={input.describedBy}
        value={String(draft.index)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {variants.map(({ label }, index) => (
          <option key={label} value={String(index)}>
            {visible(label)}
          </option>
        ))}
      </select>
      {draft.draft.kind === 'null' ? null : (
        <Field
          key={draft.index}
          label={['object', 'list', 'variants'].includes(draft.draft.kind) ? undefined : 'value'}
          parts={withoutDescription(variants[draft.index]?.parts ?? [])}
          {...{ root, path, problems }}
          depth={depth + 1}
          draft={draft.draft}
          isRequired={false}
          change={(inner) => change({ ...draft, draft: inner })}
        />
      )}
    </div>
  );
}

/** They stand above the choice already. */
function withoutDescription(parts: Parts): Parts {
  const [base, ...others] = parts;
  if (base === undefined) return parts;
  const { description: _, title: _title, ...schema } = base.schema;
  return [{ ...base, schema }, ...others];
}

function ListField({ parts, root, draft, change, path, depth, problems, label = 'list' }: Of<'list'>) {
  const shape = shapeAt(parts, root, depth);
  const item = shape.kind === 'list' ? shape.item : [];
  const setItem = (key: string, inner: Draft) =>
    change({ ...draft, items: draft.items.map((each) => (each.key === key ? { key, draft: inner } : each)) });
  const add = () =>
    change({ ...draft, items: [...draft.items, { key: crypto.randomUUID(), draft: newDraft(item, root, depth + 1) }] });
  return (
    <div class="list">
      {draft.items.map(({ key, draft: inner }, index) => (
        <Field
          key={key}
          label={`${label} ${index + 1}`}
          parts={item}
          {...{ root, problems }}
          path={`${path}/${index}`}
          depth={depth + 1}
          draft={inner}
          isRequired={false}
          change={(changed) => setItem(key, changed)}
          remove={() => change({ ...draft, items: draft.items.filter((each) => each.key !== key) })}
        />
      ))}
      <button type="button" onClick={add} aria-label={`Add item to ${visible(label)}`}>
        Add item
      </button>
    </div>
  );
}

function ObjectField({ parts, root, draft, change, path, depth, problems }: Of<'object'>) {
  const shape = shapeAt(parts, root, depth);
  const { members, others } = shape.kind === 'object' ? shape : { members: [], others: undefined };
  const setMember = (name: string, next: Partial<(typeof draft.members)[number]>) =>
    change({ ...draft, members: draft.members.map((each) => (each.name === name ? { ...each, ...next } : each)) });
  const setOther = (key: string, next: Partial<(typeof draft.others)[number]>) =>
    change({ ...draft, others: draft.others.map((each) => (each.key === key ? { ...each, ...next } : each)) });
  const addOther = () =>
    change({
      ...draft,
      others: [...draft.others, { key: crypto.randomUUID(), name: '', draft: newDraft(others ?? [], root, depth + 1) }],
    });
  const isEmpty = draft.members.length === 0 && draft.others.length === 0;
  return (
    <div class="members">
      {isEmpty && depth === 0 ? <p class="hint">The schema names no arguments.</p> : null}
      {draft.members.map(({ name, isIncluded, draft: inner }, index) => {
        const member = members[index];
        if (member === undefined) return null;
        const fresh = () => (inner === EMPTY ? newDraft(member.parts, root, depth + 1) : inner);
        const set = (next: boolean) => setMember(name, { isIncluded: next, draft: next ? fresh() : inner });
        return (
          <Field
            key={name}
            label={name}
            parts={member.parts}
            {...{ root, problems }}
            path={`${path}/${pointerToken(name)}`}
            depth={depth + 1}
            draft={inner}
            isRequired={member.isRequired}
            change={(changed) => setMember(name, { isIncluded: true, draft: changed })}
            {...(!member.isRequired && { include: { isIncluded, set } })}
          />
        );
      })}
      {draft.others.map(({ key, name, draft: inner }) => (
        <div key={key} class="other">
          <label class="other-name">
            <span>Name</span>
            <input type="text" value={name} onInput={(event) => setOther(key, { name: event.currentTarget.value })} />
          </label>
          <Field
            label={name || 'value'}
            parts={others ?? []}
            {...{ root, problems }}
            path={`${path}/${pointerToken(name)}`}
            depth={depth + 1}
            draft={inner}
            isRequired={false}
            change={(changed) => setOther(key, { draft: changed })}
            remove={() => change({ ...draft, others: draft.others.filter((each) => each.key !== key) })}
          />
        </div>
      ))}
      {others === undefined ? null : (
        <button type="button" class={depth === 0 ? 'link' : ''} onClick={addOther}>
          {depth === 0 ? 'Add an argument' : 'Add member'}
        </button>
      )}
    </div>
  );
}
