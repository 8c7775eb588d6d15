import type { GetPromptResult, Prompt } from '@hawser/mcp';
import { useStore } from '@hawser/page-parts/store';
import { firstLine } from '@hawser/page-parts/visible-text';
import { useMemo, useState } from 'preact/hooks';
import type { CallFailed } from '../channel.ts';
import { Chip, Disclosure, FailureBox, ProblemBox } from '../parts/basics.tsx';
import { CompletedInput } from '../parts/completed-input.tsx';
import { Content } from '../parts/content.tsx';
import { ListPane, namedRow } from '../parts/list-pane.tsx';
import { SplitView } from '../parts/split-view.tsx';
import { Json, LongText, Name } from '../parts/text.tsx';
import { withoutEmpty } from './resources.tsx';
import type { ViewProps } from './view.ts';

/** The prompts of the server, with their arguments. */
export function PromptsView(props: ViewProps) {
  const { inspection } = props;
  const listing = useStore(inspection.prompts);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const prompts = listing.items;
  const rows = useMemo(() => prompts.map(rowOf), [prompts]);
  const prompt = prompts.find(({ name }) => name === selected);
  return (
    <SplitView
      what="prompts"
      selected={prompt?.name}
      back={() => setSelected(undefined)}
      list={
        <ListPane
          what="prompts"
          {...{ listing, rows, selected }}
          select={setSelected}
          reload={() => void inspection.load('prompts')}
        />
      }
      detail={prompt === undefined ? null : <PromptDetail key={prompt.name} {...props} prompt={prompt} />}
    />
  );
}

function rowOf({ name, title, description = '' }: Prompt) {
  return namedRow(name, { line: firstLine(description) || title || '', searched: `${title ?? ''} ${description}` });
}

type Answer =
  | { readonly kind: 'none' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'got'; readonly result: GetPromptResult }
  | { readonly kind: 'failed'; readonly failure: CallFailed }
  | { readonly kind: 'missing'; readonly names: readonly string[] };

function PromptDetail({ inspection, prompt, openResource }: ViewProps & { readonly prompt: Prompt }) {
  const { name, title, description, arguments: expected = [] } = prompt;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<Answer>({ kind: 'none' });
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = withoutEmpty(values);
    const missing = expected.filter((each) => each.required && given[each.name] === undefined);
    if (missing.length > 0) return setAnswer({ kind: 'missing', names: missing.map((each) => each.name) });
    setAnswer({ kind: 'asking' });
    try {
      setAnswer({ kind: 'got', result: await inspection.call('prompts/get', { name, arguments: given }) });
      inspection.announce('The prompt is here.');
    } catch (error) {
      setAnswer({ kind: 'failed', failure: error as CallFailed });
    }
  };
  return (
    <article class="stack">
      <header>
        <h3>
          <Name text={title ?? name} />
        </h3>
        {title === undefined || title === name ? null : (
          <p class="subtitle">
            <code>
              <Name text={name} />
            </code>
          </p>
        )}
        {description === undefined ? null : <LongText text={description} />}
      </header>
      <form class="stack" onSubmit={submit} noValidate>
        {expected.map((argument) => (
          <CompletedInput
            key={argument.name}
            inspection={inspection}
            reference={{ type: 'ref/prompt', name }}
            name={argument.name}
            description={argument.description}
            isRequired={argument.required === true}
            value={values[argument.name] ?? ''}
            others={withoutEmpty(values, argument.name)}
            change={(value) => setValues({ ...values, [argument.name]: value })}
          />
        ))}
        <div class="actions">
          <button type="submit" class="primary" disabled={answer.kind === 'asking'}>
            Get prompt
          </button>
        </div>
      </form>
      {answer.kind === 'missing' ? <ProblemBox problem={{ message: `Fill in ${answer.names.join(', ')}.` }} /> : null}
      {answer.kind === 'failed' ? <FailureBox failure={answer.failure} /> : null}
      {answer.kind === 'got' ? <Messages result={answer.result} openResource={openResource} /> : null}
    </article>
  );
}

function Messages({
  result,
  openResource,
}: {
  readonly result: GetPromptResult;
  readonly openResource: (uri: string) => void;
}) {
  const { description, messages } = result;
  return (
    <section class="stack" aria-label="Messages">
      {description === undefined ? null : <LongText text={description} />}
      {messages.map(({ role, content }, index) => (
        <div key={index} class={`message message-${role === 'user' ? 'user' : 'assistant'}`}>
          <Chip tone={role === 'user' ? 'accent' : 'neutral'}>{String(role)}</Chip>
          <Content blocks={[content]} openResource={openResource} />
        </div>
      ))}
      <Disclosure title="Prompt as JSON">
        <Json value={result} label="Prompt" />
      </Disclosure>
    </section>
  );
}
