import { useStore } from '@hawser/page-parts/store';
import { durationInWords, visible } from '@hawser/page-parts/visible-text';
import { useState } from 'preact/hooks';
import type { ServerFacts } from '../../calls.ts';
import type { Inspection } from '../inspection.ts';
import { Chip, Disclosure, ProblemBox } from '../parts/basics.tsx';
import { LinesField, RevisionChoice } from '../parts/fields.tsx';
import { Json, LongText, Name } from '../parts/text.tsx';
import { Connect } from './connect.tsx';
import type { ViewProps } from './view.ts';

/** Which server this is, or which it could be. */
export function ServerView({ inspection }: ViewProps) {
  const state = useStore(inspection.server);
  return (
    <div class="scroll stack">
      {state.kind === 'connected' ? <Facts server={state.server} inspection={inspection} /> : null}
      <Connect inspection={inspection} />
      <Roots inspection={inspection} />
    </div>
  );
}

function Facts({ server, inspection }: { readonly server: ServerFacts; readonly inspection: Inspection }) {
  const { serverInfo, target, transport, protocolVersion, isStateless, capabilities, instructions } = server;
  const { name = 'unnamed', title, version = '', description, websiteUrl } = serverInfo ?? {};
  return (
    <section class="card stack" aria-label="About the server">
      <div>
        <h3 class="server-name">
          <Name text={title ?? name} />
        </h3>
        {description === undefined ? null : <LongText text={description} />}
      </div>
      <dl class="facts">
        <dt>Name</dt>
        <dd>
          <Name text={`${name} ${version}`} />
        </dd>
        <dt>Target</dt>
        <dd>
          <code>
            <Name text={target} />
          </code>
        </dd>
        <dt>Protocol</dt>
        <dd>
          {protocolVersion} over {TRANSPORTS[transport]}
          {isStateless ? ', stateless' : ''}
        </dd>
        {websiteUrl === undefined ? null : (
          <>
            <dt>Website</dt>
            <dd>
              <WebLink url={websiteUrl} />
            </dd>
          </>
        )}
        <dt>Offers</dt>
        <dd class="chips">
          {Object.entries(capabilities).map(([capability, details]) => (
            <Chip key={capability}>{visible(inWords(capability, details))}</Chip>
          ))}
        </dd>
      </dl>
      {instructions === undefined ? null : (
        <section>
          <h4>Instructions</h4>
          <LongText text={instructions} />
        </section>
      )}
      <Disclosure title="Capabilities as JSON">
        <Json value={capabilities} label="Capabilities" />
      </Disclosure>
      <Actions inspection={inspection} />
    </section>
  );
}

const TRANSPORTS = { stdio: 'stdio', http: 'Streamable HTTP', websocket: 'WebSocket' } as const;

/** `tools (listChanged)`. */
function inWords(capability: string, details: unknown): string {
  const names = Object.entries((details ?? {}) as object).flatMap(([name, value]) => (value === false ? [] : [name]));
  return names.length === 0 ? capability : `${capability} (${names.join(', ')})`;
}

/** A link only if it leads to the web: a server can write any URL. */
function WebLink({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url)) return <Name text={url} />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <Name text={url} />
    </a>
  );
}

function Actions({ inspection }: { readonly inspection: Inspection }) {
  const [revision, setRevision] = useState('');
  const [ping, setPing] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const failed = (error: Error) => setProblem(error.message);
  const measure = async () => {
    setProblem(undefined);
    const { ms } = await inspection.call('ping', {});
    setPing(`Answered in ${durationInWords(ms)}`);
    inspection.announce(`Ping answered in ${durationInWords(ms)}`);
  };
  return (
    <div class="stack">
      <div class="actions">
        <button type="button" onClick={() => inspection.call('disconnect', {}).catch(failed)}>
          Disconnect
        </button>
        <button
          type="button"
          onClick={() =>
            inspection.connect({ target: { kind: 'last' }, ...(revision !== '' && { protocolVersion: revision }) })
          }
        >
          Reconnect
        </button>
        <RevisionChoice
          text="with"
          inspection={inspection}
          label="Revision of MCP for reconnecting"
          newest="newest revision"
          {...{ revision, setRevision }}
        />
        <button type="button" onClick={() => measure().catch(failed)}>
          Ping
        </button>
        <span class="hint">{ping}</span>
      </div>
      {problem === undefined ? null : <ProblemBox problem={{ message: problem }} />}
    </div>
  );
}

/** What the server gets when it asks for roots. */
function Roots({ inspection }: { readonly inspection: Inspection }) {
  const hello = useStore(inspection.hello);
  const [text, setText] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const shown = text ?? hello?.roots.map(({ uri }) => uri).join('\n') ?? '';
  const save = async (event: Event) => {
    event.preventDefault();
    const uris = shown
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const wrong = uris.find((uri) => !uri.startsWith('file://'));
    if (wrong !== undefined) return setProblem(`${wrong}: a root is a URI that begins with file://.`);
    setProblem(undefined);
    try {
      await inspection.call('roots/set', { roots: uris.map((uri) => ({ uri })) });
      inspection.announce('The roots are set.');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <section class="card">
      <h3>Roots</h3>
      <form class="stack" onSubmit={save}>
        <LinesField label="Folders that a server may work in, one URI a line" value={shown} change={setText} />
        {problem === undefined ? null : <ProblemBox problem={{ message: problem }} />}
        <div class="actions">
          <button type="submit">Set roots</button>
          <span class="hint">A server that asks for roots gets these. It is notified when they change.</span>
        </div>
      </form>
    </section>
  );
}
