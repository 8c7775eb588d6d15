import { useStore } from '@hawser/page-parts/store';
import { useState } from 'preact/hooks';
import { GrowingText } from '../form/inputs.tsx';
import { Nothing, ProblemBox } from '../parts/basics.tsx';
import { Json } from '../parts/text.tsx';
import type { TrafficMessage } from '../traffic-messages.ts';
import type { ViewProps } from './view.ts';

const EXAMPLE = `{
  "jsonrpc": "2.0",
  "id": "a",
  "method": "ping"
}`;

/** Sends any message as it is, and shows the answer to it. */
export function RawView({ inspection, isActive }: ViewProps) {
  const server = useStore(inspection.server);
  const { messages } = useStore(inspection.traffic, isActive);
  const [text, setText] = useState(EXAMPLE);
  const [sent, setSent] = useState<Sent | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const send = async (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      const { id } = JSON.parse(text) as { readonly id?: unknown };
      const after = inspection.traffic.value.messages.at(-1)?.number ?? 0;
      await inspection.call('messages/send', { text });
      setSent({ id: id === undefined ? undefined : JSON.stringify(id), after });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const answer = sent && answerTo(sent, messages);
  return (
    <div class="scroll stack">
      <p class="hint">
        The message is sent as it is, past all checks. An answer to its id is shown below; everything else is in the
        traffic.
      </p>
      <form class="stack" onSubmit={send}>
        <label class="field" htmlFor="raw-message">
          <span class="field-name">Message</span>
          <GrowingText
            id="raw-message"
            describedBy={undefined}
            isInvalid={problem !== undefined}
            isRequired
            text={text}
            change={setText}
            isCode
          />
        </label>
        {problem === undefined ? null : <ProblemBox problem={{ message: problem }} />}
        <div class="actions">
          <button type="submit" class="primary" disabled={server.kind !== 'connected'}>
            Send
          </button>
          {server.kind === 'connected' ? null : <span class="hint">Connect to a server first.</span>}
        </div>
      </form>
      {sent === undefined ? null : (
        <section class="card" aria-label="Answer">
          <h3>Answer</h3>
          {sent.id === undefined ? <Nothing>The message has no id, so it has no answer.</Nothing> : null}
          {sent.id !== undefined && answer === undefined ? <Nothing>None yet.</Nothing> : null}
          {answer === undefined ? null : <Json value={JSON.parse(answer.text)} label="Answer" />}
        </section>
      )}
    </div>
  );
}

interface Sent {
  /** As JSON. */
  readonly id: string | undefined;
  /** The number of the last message before it. */
  readonly after: number;
}

function answerTo({ id, after }: Sent, messages: readonly TrafficMessage[]): TrafficMessage | undefined {
  if (id === undefined) return undefined;
  return messages.find(
    ({ kind, what, number, id: answered, cutFrom }) =>
      kind === 'received' &&
      (what === 'result' || what === 'error') &&
      number > after &&
      answered === id &&
      cutFrom === undefined,
  );
}
