import type { CreateMessageParams, ElicitResult, SamplingContent } from '@hawser/mcp';
import { useStore } from '@hawser/page-parts/store';
import { useState } from 'preact/hooks';
import type { Question, QuestionAnswer } from '../../calls.ts';
import { SchemaForm } from '../form/schema-form.tsx';
import type { Schema } from '../form/schema-shape.ts';
import type { Validator } from '../form/validator.ts';
import type { Inspection } from '../inspection.ts';
import { Chip, Disclosure, ProblemBox } from '../parts/basics.tsx';
import { Content } from '../parts/content.tsx';
import { Json, LongText, Name } from '../parts/text.tsx';

/** Questions of the server that wait for the user, above every view. */
export function Questions({ inspection }: { readonly inspection: Inspection }) {
  const questions = useStore(inspection.questions);
  if (questions.length === 0) return null;
  return (
    <section id="questions" class="questions" tabIndex={-1} aria-label="Questions of the server">
      {questions.map((question) => (
        <QuestionCard key={question.id} {...{ inspection, question }} />
      ))}
    </section>
  );
}

function QuestionCard({ inspection, question }: { readonly inspection: Inspection; readonly question: Question }) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const answer = async (given: QuestionAnswer['answer']) => {
    try {
      await inspection.call('questions/answer', { id: question.id, answer: given });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <article class="card question stack">
      {question.kind === 'elicitation' ? (
        <Elicitation
          params={question.params}
          validator={inspection.validator}
          answer={(result) => answer({ kind: 'elicitation', result })}
        />
      ) : (
        <Sampling params={question.params} answer={answer} />
      )}
      {problem === undefined ? null : <ProblemBox problem={{ message: problem }} />}
    </article>
  );
}

interface ElicitationProps {
  readonly params: Extract<Question, { kind: 'elicitation' }>['params'];
  readonly validator: Validator;
  readonly answer: (result: ElicitResult) => void;
}

function Elicitation({ params, validator, answer }: ElicitationProps) {
  const refuse = (
    <>
      <button type="button" onClick={() => answer({ action: 'decline' })}>
        Decline
      </button>
      <button type="button" onClick={() => answer({ action: 'cancel' })}>
        Cancel
      </button>
    </>
  );
  return (
    <>
      <h2>The server asks</h2>
      <LongText text={params.message} />
      {'requestedSchema' in params ? (
        <SchemaForm
          schema={params.requestedSchema as Schema}
          validator={validator}
          initial={undefined}
          action="Answer"
          isBusy={false}
          submit={(value) => answer({ action: 'accept', content: value as NonNullable<ElicitResult['content']> })}
        >
          {refuse}
        </SchemaForm>
      ) : (
        <UrlQuestion url={params.url} answer={answer}>
          {refuse}
        </UrlQuestion>
      )}
    </>
  );
}

interface UrlQuestionProps {
  readonly url: string;
  readonly answer: (result: ElicitResult) => void;
  readonly children: preact.ComponentChildren;
}

/** The user sees the whole URL, and opens it or not: it is never opened by itself. */
function UrlQuestion({ url, answer, children }: UrlQuestionProps) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url);
  return (
    <>
      <p>
        It wants you to open <strong>{isWeb ? new URL(url).host : 'a URL that is not of the web'}</strong>:
      </p>
      <code class="wrap">
        <Name text={url} />
      </code>
      <div class="actions">
        {isWeb ? (
          <a
            class="button primary"
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => answer({ action: 'accept' })}
          >
            Open and accept
          </a>
        ) : null}
        {children}
      </div>
    </>
  );
}

interface SamplingProps {
  readonly params: CreateMessageParams;
  readonly answer: (answer: QuestionAnswer['answer']) => void;
}

/** The user takes the part of the model. */
function Sampling({ params, answer }: SamplingProps) {
  const { messages, systemPrompt, maxTokens } = params;
  const [text, setText] = useState('');
  const [model, setModel] = useState('written-by-hand');
  const submit = (event: Event) => {
    event.preventDefault();
    const result = { role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' } as const;
    answer({ kind: 'sampling', result });
  };
  return (
    <>
      <h2>The server asks for a message of a model</h2>
      {systemPrompt === undefined ? null : (
        <div>
          <Chip>system prompt</Chip>
          <LongText text={systemPrompt} />
        </div>
      )}
      {messages.map(({ role, content }, index) => (
        <div key={index} class={`message message-${role === 'user' ? 'user' : 'assistant'}`}>
          <Chip tone={role === 'user' ? 'accent' : 'neutral'}>{String(role)}</Chip>
          <SamplingBlocks content={content} />
        </div>
      ))}
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span class="field-name">Message of the model, at most {String(maxTokens)} tokens</span>
          <textarea rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span class="field-name">Name of the model</span>
          <input type="text" value={model} onInput={(event) => setModel(event.currentTarget.value)} />
        </label>
        <div class="actions">
          <button type="submit" class="primary">
            Answer
          </button>
          <button type="button" onClick={() => answer({ kind: 'refused' })}>
            Decline
          </button>
        </div>
      </form>
      <Disclosure title="Request as JSON">
        <Json value={params} label="Request" />
      </Disclosure>
    </>
  );
}

function SamplingBlocks({ content }: { readonly content: SamplingContent | readonly SamplingContent[] }) {
  const blocks = (Array.isArray(content) ? content : [content]) as readonly SamplingContent[];
  return (
    <>
      {blocks.map((block, index) =>
        block.type === 'text' || block.type === 'image' || block.type === 'audio' ? (
          <Content key={index} blocks={[block]} openResource={() => {}} />
        ) : (
          <Json key={index} value={block} label="Block" />
        ),
      )}
    </>
  );
}
