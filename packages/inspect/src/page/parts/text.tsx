import { prettyJson, sizeInWords, visible } from '@hawser/page-parts/visible-text';
import { useState } from 'preact/hooks';
import { jsonTokens } from './json-tokens.ts';

/** Longer texts are cut until the user wants all of them: layout of a long text takes seconds. */
const SHOWN_CHARS = 20_000;

const NAME_CHARS = 1000;

/** A name of a server: isolated from the text around it, nothing in it is hidden, and it is cut if it is too long. */
export function Name({ text }: { readonly text: string }) {
  return <bdi>{text.length > NAME_CHARS ? `${visible(text.slice(0, NAME_CHARS))}…` : visible(text)}</bdi>;
}

/** A text of a server, with its line ends. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN_CHARS);
  return (
    <div class="long-text">
      <bdi class="prose">{shown}</bdi>
      <ShowAll length={text.length} isWhole={isWhole} show={() => setWhole(true)} />
    </div>
  );
}

/** A value as coloured JSON, with a button that copies it. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <JsonText text={prettyJson(value)} label={label} />;
}

export function JsonText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN_CHARS);
  return (
    <div class="json">
      <CopyButton text={text} what={label} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {jsonTokens(shown).map(({ kind, text: piece }, index) =>
          kind === 'plain' ? (
            piece
          ) : (
            <span key={index} class={`json-${kind}`}>
              {piece}
            </span>
          ),
        )}
      </pre>
      <ShowAll length={text.length} isWhole={isWhole} show={() => setWhole(true)} />
    </div>
  );
}

function ShowAll({ length, isWhole, show }: { readonly length: number; readonly isWhole: boolean; show(): void }) {
  if (isWhole || length <= SHOWN_CHARS) return null;
  return (
    <p class="hint">
      The first {sizeInWords(SHOWN_CHARS)} of {sizeInWords(length)}.{' '}
      <button type="button" class="link" onClick={show}>
        Show all
      </button>
    </p>
  );
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
    setTimeout(() => setState('idle'), 1500);
  };
  const word = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' }[state];
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`${word}: ${what}`}>
      {word}
    </button>
  );
}
