import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';

export interface Editor {
  /** With line feeds. */
  readonly text: string;
  close(): void;
}

export interface EditorOptions {
  readonly text: string;
  /** What it is compared with. */
  readonly original: string;
  readonly label: string;
  readonly save: () => void;
  readonly cancel: () => void;
  /** The user has typed. */
  readonly changed: (text: string) => void;
}

/** An editor in an element. In a shadow root, because its styles come from a script, which the page's policy forbids elsewhere. */
export function openEditor(element: HTMLElement, options: EditorOptions): Editor {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
  /** The key is used up. */
  const doing = (act: () => void) => () => {
    act();
    return true;
  };
  const keys = [
    { key: 'Mod-Enter', run: doing(options.save) },
    { key: 'Mod-s', run: doing(options.save), preventDefault: true },
    { key: 'Escape', run: doing(options.cancel) },
  ];
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        // Other line ends stay characters of the text.
        EditorState.lineSeparator.of('\n'),
        lineNumbers(),
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        keymap.of([...keys, indentWithTab, ...defaultKeymap, ...historyKeymap]),
        unifiedMergeView({ original: options.original, mergeControls: false, gutter: true }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && options.changed(state.doc.toString())),
        THEME,
      ],
    }),
  });
  view.focus();
  return {
    get text() {
      return view.state.sliceDoc();
    },
    close: () => view.destroy(),
  };
}

/** The colours of the page, which reach into the shadow root as properties. */
const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--raised)', border: 'none' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace',
    overflow: 'auto',
  },
  '.cm-changedLine': { backgroundColor: 'light-dark(#e3f6e8, #12301d) !important' },
  '.cm-deletedChunk': { backgroundColor: 'light-dark(#fdeaea, #371a1d) !important' },
  '.cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    textDecoration: 'none',
    fontWeight: '600',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
});
