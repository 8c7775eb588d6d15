import { useStore } from '@hawser/page-parts/store';
import type { Inspection } from '../inspection.ts';

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly change: (value: string) => void;
}

export function TextField({ label, value, change, placeholder }: TextFieldProps) {
  return (
    <label class="field">
      <span class="field-name">{label}</span>
      <input
        type="text"
        class="code"
        spellcheck={false}
        autocomplete="off"
        {...{ value, placeholder }}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}

export function LinesField({ label, value, change, placeholder }: TextFieldProps) {
  return (
    <label class="field">
      <span class="field-name">{label}</span>
      <textarea
        class="code"
        rows={2}
        spellcheck={false}
        autocomplete="off"
        {...{ value, placeholder }}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}

interface RevisionChoiceProps {
  readonly inspection: Inspection;
  readonly text: string;
  /** For screen readers, if the text says less. */
  readonly label?: string;
  readonly newest: string;
  readonly revision: string;
  readonly setRevision: (revision: string) => void;
}

/** Which revision of MCP to ask a server for; empty for the newest. */
export function RevisionChoice({ inspection, text, label, newest, revision, setRevision }: RevisionChoiceProps) {
  const hello = useStore(inspection.hello);
  return (
    <label class="inline">
      <span>{text}</span>
      <select aria-label={label} value={revision} onChange={(event) => setRevision(event.currentTarget.value)}>
        <option value="">{newest}</option>
        {hello?.revisions.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
