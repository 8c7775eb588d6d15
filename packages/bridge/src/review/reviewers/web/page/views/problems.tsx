import { useStore } from '@hawser/page-parts/store';
import { visible } from '@hawser/page-parts/visible-text';
import type { SessionProps } from '../app.tsx';

const TONES: Readonly<Record<string, string>> = { error: 'chip-bad', warning: 'chip-warning' };

/** What the editor or the language servers found. */
export function ProblemsView({ session }: SessionProps) {
  const list = useStore(session.diagnostics);
  const status = useStore(session.status);
  return (
    <div class="view scroller stack">
      <h2>Problems</h2>
      {list === undefined || list.total > 0 ? null : (
        <p class="nothing">
          {status?.diagnosticsRevision === undefined ? 'This editor reports no problems.' : 'No problems found.'}
        </p>
      )}
      {list?.files.map(({ path, diagnostics }) => (
        <section key={path} class="card" aria-label={session.nameOf(path)}>
          <h3>{visible(session.nameOf(path))}</h3>
          <ul class="plain">
            {diagnostics.map(({ range, severity, message, source }, index) => (
              <li key={`${index} ${message}`} class="problem-line">
                <span class="count">{range.start.line + 1}</span>
                <span class={`chip ${TONES[severity] ?? ''}`}>{severity}</span>
                <span class="wrap">
                  {visible(message)} <span class="hint">{visible(source ?? '')}</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
