import { useStore } from '@hawser/page-parts/store';
import { visible } from '@hawser/page-parts/visible-text';
import type { ClientStatus } from '../../../../../control/calls.ts';
import type { SessionProps } from '../app.tsx';

/** Who is connected, and what is served. */
export function AgentsView({ session }: SessionProps) {
  const status = useStore(session.status);
  if (status === undefined) return null;
  const clients = status.agents.flatMap(({ name, clients: all }) => all.map((client) => ({ adapter: name, client })));
  return (
    <div class="view scroller stack">
      <h2>Agents</h2>
      {clients.length === 0 ? <p class="nothing">No agent is connected.</p> : null}
      <ul class="plain stack">
        {clients.map(({ adapter, client }) => (
          <li key={client.id} class="card">
            <div class="card-head">
              <h3>
                {visible(client.name)} {visible(client.version ?? '')}
              </h3>
              <button type="button" onClick={() => session.disconnect(client.id)}>
                Disconnect
              </button>
            </div>
            <p class="hint">{inWords(client)}</p>
            {status.gates?.includes(adapter) === true ? (
              <p class="chip chip-good">gate on: it waits in every mode</p>
            ) : null}
          </li>
        ))}
      </ul>
      <h2>Bridge</h2>
      <dl class="facts">
        <dt>Workspace</dt>
        <dd>{status.folders.join(', ')}</dd>
        <dt>Editor</dt>
        <dd>{status.editor}</dd>
        <dt>Reviewed in</dt>
        <dd>{[...new Set(status.reviewers)].join(', ')}</dd>
        <dt>Version</dt>
        <dd>
          {status.version}, process {status.pid}
        </dd>
        {(status.failures ?? []).map(({ name, problem }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>can’t connect: {visible(problem)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function inWords({ state, calls, lastActivity, lastChange }: ClientStatus): string {
  const active = lastActivity === undefined ? '' : `, last active ${new Date(lastActivity).toLocaleTimeString()}`;
  const asked =
    lastChange === undefined ? '' : lastChange === 'proposed' ? ', asks before it edits' : ', edited unasked';
  return `${state}, ${calls} ${calls === 1 ? 'call' : 'calls'}${active}${asked}`;
}
