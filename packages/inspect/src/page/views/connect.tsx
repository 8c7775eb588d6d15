import type { RunningEditor } from '@hawser/client/editor-finder';
import { useStore } from '@hawser/page-parts/store';
import { useEffect, useState } from 'preact/hooks';
import type { Problem, ServerChoice, TargetChoice, TargetList } from '../../calls.ts';
import type { Inspection } from '../inspection.ts';
import { Chip, ProblemBox } from '../parts/basics.tsx';
import { LinesField, RevisionChoice, TextField } from '../parts/fields.tsx';
import { Name } from '../parts/text.tsx';

/** Chooses a server: the one of the command line, an editor, one of a configuration file, or any other. */
export function Connect({ inspection }: { readonly inspection: Inspection }) {
  const hello = useStore(inspection.hello);
  const state = useStore(inspection.server);
  const [list, setList] = useState<TargetList | undefined>(undefined);
  const [revision, setRevision] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const look = async () => setList(await inspection.call('targets/list', {}).catch(() => undefined));
  useEffect(() => void look(), []);

  const connect = async (target: TargetChoice) => {
    setProblem(undefined);
    const before = inspection.server.value;
    const failure = await inspection.connect({ target, ...(revision !== '' && { protocolVersion: revision }) });
    // A failure while connecting is part of the new state; another one is a mistake in the request.
    if (failure !== undefined && inspection.server.value === before) setProblem(failure);
  };
  if (state.kind === 'connected') return null;
  if (state.kind === 'connecting') return <Connecting target={state.target} inspection={inspection} />;
  const shown = problem ?? state.problem;
  return (
    <div class="connect">
      {shown === undefined ? null : <ProblemBox problem={shown} />}
      {shown?.canLogIn ? <Login inspection={inspection} done={() => connect({ kind: 'last' })} /> : null}
      <RevisionChoice
        text="Revision of MCP"
        inspection={inspection}
        newest="Newest that the server knows"
        {...{ revision, setRevision }}
      />
      {hello?.given === undefined ? null : (
        <section class="card">
          <h3>From the command line</h3>
          <Choice connect={() => connect({ kind: 'given' })} name={hello.given.description} />
        </section>
      )}
      <OtherServer connect={connect} />
      <section class="card">
        <div class="card-head">
          <h3>Editors on this machine</h3>
          <button type="button" class="link" onClick={look}>
            Look again
          </button>
        </div>
        {list?.editors.length === 0 ? <p class="hint">No editor runs that agents can find.</p> : null}
        <ul class="plain">
          {list?.editors.map((editor) => (
            <EditorItem
              key={editor.path}
              editor={editor}
              connect={() => connect({ kind: 'lock', path: editor.path })}
            />
          ))}
        </ul>
      </section>
      <section class="card">
        <h3>Servers in configuration files</h3>
        {list?.servers.length === 0 ? (
          <p class="hint">None here, in the folders above, or in your home folder.</p>
        ) : null}
        <ul class="plain">
          {list?.servers.map((server) => (
            <ServerItem
              key={`${server.config} ${server.name}`}
              server={server}
              connect={() => connect({ kind: 'server', name: server.name, config: server.config })}
            />
          ))}
        </ul>
        {list?.problems.map((each) => (
          <p key={each} class="hint">
            {each}
          </p>
        ))}
      </section>
    </div>
  );
}

/** Logs in with another page of the browser, then goes on. */
function Login({ inspection, done }: { readonly inspection: Inspection; done(): void }) {
  const url = useStore(inspection.loginPage);
  const [controller, setController] = useState<AbortController | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const logIn = async () => {
    const abort = new AbortController();
    setController(abort);
    setProblem(undefined);
    try {
      await inspection.logIn(abort.signal);
      done();
    } catch (error) {
      if (!abort.signal.aborted) setProblem({ message: `You are not logged in. ${(error as Error).message}` });
    } finally {
      setController(undefined);
    }
  };
  const isWeb = url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url);
  return (
    <section class="card stack" aria-label="Login">
      {problem === undefined ? null : <ProblemBox problem={problem} />}
      {controller === undefined ? (
        <div class="actions">
          <button type="button" class="primary" onClick={logIn}>
            Log in
          </button>
          <span class="hint">In another tab; the login is kept for all commands of Hawser.</span>
        </div>
      ) : (
        <>
          <p>{isWeb ? `Log in at ${new URL(url).host}, then come back here.` : 'Asking the server where to log in…'}</p>
          <div class="actions">
            {isWeb ? (
              <a class="button primary" href={url} target="_blank" rel="noopener noreferrer">
                Open the login page
              </a>
            ) : null}
            <button type="button" onClick={() => controller.abort()}>
              Cancel
            </button>
          </div>
        </>
      )}
    </section>
  );
}

function Connecting({ target, inspection }: { readonly target: string; readonly inspection: Inspection }) {
  return (
    <div class="card connecting">
      <p>
        Connecting to <Name text={target} />…
      </p>
      <button type="button" onClick={() => inspection.call('disconnect', {}).catch(() => {})}>
        Cancel
      </button>
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly connect: () => void;
}

function Choice({ name, connect }: ChoiceProps) {
  return (
    <div class="choice">
      <code class="choice-name">
        <Name text={name} />
      </code>
      <button type="button" onClick={connect} aria-label={`Connect to ${name}`}>
        Connect
      </button>
    </div>
  );
}

function EditorItem({ editor, connect }: { readonly editor: RunningEditor; connect(): void }) {
  const { name, pid, agent, folders, isHere } = editor;
  return (
    <li class="choice">
      <div>
        <p class="choice-name">
          <Name text={name} /> <Chip>{agent}</Chip> {isHere ? <Chip tone="good">this folder</Chip> : null}
        </p>
        <p class="hint">
          <Name text={folders.join(', ')} />
          {pid === undefined ? '' : ` · process ${pid}`}
        </p>
      </div>
      <button type="button" onClick={connect} aria-label={`Connect to ${name} by ${agent}`}>
        Connect
      </button>
    </li>
  );
}

function ServerItem({ server, connect }: { readonly server: ServerChoice; connect(): void }) {
  const { name, config, description, problem } = server;
  return (
    <li class="choice">
      <div>
        <p class="choice-name">
          <Name text={name} />
        </p>
        <p class="hint">
          <Name text={description ?? problem ?? ''} />
        </p>
        <p class="hint">
          <Name text={config} />
        </p>
      </div>
      <button type="button" onClick={connect} disabled={description === undefined} aria-label={`Connect to ${name}`}>
        Connect
      </button>
    </li>
  );
}

function OtherServer({ connect }: { connect(target: TargetChoice): void }) {
  const [kind, setKind] = useState<'stdio' | 'url'>('stdio');
  const [command, setCommand] = useState('');
  const [env, setEnv] = useState('');
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const submit = (event: Event) => {
    event.preventDefault();
    const variables = variablesIn(env);
    if (kind === 'stdio' && variables instanceof Error) return setProblem(variables.message);
    setProblem(undefined);
    if (kind === 'url') return connect({ kind, url: url.trim(), headers: linesOf(headers) });
    if (!(variables instanceof Error)) connect({ kind, command, env: variables });
  };
  return (
    <section class="card">
      <h3>A server</h3>
      <form onSubmit={submit} class="stack" noValidate>
        <fieldset class="segments">
          <legend class="sr-only">How to reach it</legend>
          <button type="button" aria-pressed={kind === 'stdio'} onClick={() => setKind('stdio')}>
            Start a command
          </button>
          <button type="button" aria-pressed={kind === 'url'} onClick={() => setKind('url')}>
            Connect to a URL
          </button>
        </fieldset>
        {kind === 'stdio' ? (
          <>
            <TextField
              label="Command"
              value={command}
              change={setCommand}
              placeholder="npx -y @modelcontextprotocol/server-everything"
            />
            <LinesField label="Environment variables, one a line" value={env} change={setEnv} placeholder="API_KEY=…" />
            <p class="hint">The command runs as you, in the folder of hawser inspect, without a shell.</p>
          </>
        ) : (
          <>
            <TextField label="URL" value={url} change={setUrl} placeholder="http://127.0.0.1:3000/mcp" />
            <LinesField
              label="Headers, one a line"
              value={headers}
              change={setHeaders}
              placeholder="Authorization: Bearer …"
            />
          </>
        )}
        {problem === undefined ? null : <ProblemBox problem={{ message: problem }} />}
        <div class="actions">
          <button type="submit" class="primary" disabled={(kind === 'stdio' ? command : url).trim() === ''}>
            Connect
          </button>
        </div>
      </form>
    </section>
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function variablesIn(text: string): Record<string, string> | Error {
  const entries: [string, string][] = [];
  for (const line of linesOf(text)) {
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return new Error(`${line}: write a variable as NAME=value.`);
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}
