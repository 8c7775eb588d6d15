import { basename } from 'node:path';
import { messageOf } from '@hawser/unknown-values/thrown';
import { nameIn } from '../access/paths.ts';
import type { Environment } from '../command-line/environment.ts';
import type { Status } from '../control/calls.ts';
import type { ControlClient } from '../control/control-client.ts';
import { FileWatch } from '../editors/file-watch.ts';
import { keptTexts } from '../review/applying/kept-texts.ts';
import { discardDraft, editText } from '../review/reviewers/terminal/edit-text.ts';
import { ReviewView } from '../review/reviewers/terminal/review-view.ts';
import { ruledInWords } from '../review/ruled-in-words.ts';
import { openPage } from '../serving/open-page.ts';
import { TrustedFolders } from '../serving/trusted-folders.ts';
import type { WorkspaceFacts } from '../terminal/facts.ts';
import { Frame } from '../terminal/frame.ts';
import { Terminal, type TerminalOptions } from '../terminal/terminal.ts';
import { AgentsView } from '../terminal/views/agents/agents-view.ts';
import { DiagnosticsView } from '../terminal/views/diagnostics/diagnostics-view.ts';
import { FilesView } from '../terminal/views/files/files-view.ts';
import { TrafficView } from '../terminal/views/traffic/traffic-view.ts';
import { fileColours } from './file-colours.ts';
import { runProgram } from './run-program.ts';
import { statusBar } from './status-bar.ts';
import { workspaceFacts } from './workspace-facts.ts';

export interface TerminalProgramOptions {
  readonly terminal: TerminalOptions;
  readonly leaving: Leaving;
}

/** `ends the bridge`: leaving asks first. */
type Leaving = 'ends the bridge' | 'ends the demo' | 'at once';

const LEAVING: { readonly [leaving in Leaving]: { readonly help: string; readonly hint: string } } = {
  'ends the bridge': { help: 'end the bridge, after asking', hint: 'end' },
  'ends the demo': { help: 'end the demo', hint: 'end' },
  'at once': { help: 'leave; what is not decided stays open', hint: 'leave' },
};

/** The views of a bridge in the user's terminal, until the user leaves or the bridge ends. */
export interface TerminalProgram {
  /** Why it ended. The terminal has been given back. */
  readonly over: Promise<'left' | 'bridge ended'>;
  /** Shows a message. */
  say(message: string): void;
  /** Shows a text in place of the status. */
  setBanner(banner: string): void;
  /** The user's text editor has the terminal. */
  isEditing(): boolean;
  leave(): void;
}

export function openTerminalProgram(
  bridge: ControlClient,
  { terminal, leaving }: TerminalProgramOptions,
  environment: Environment,
): TerminalProgram {
  const { cwd, editor, temporaryFolder, stderr } = environment;
  let status: Status | undefined;
  const factsOf = factsOfStatus(environment);
  let hasBridge = true;
  let banner: string | undefined;
  const texts = keptTexts(environment.stateFolder);
  const kept: { readonly path: string; readonly file: string }[] = [];
  /** Files that an editor may still save to, and what is in them otherwise. */
  const drafts = new Map<string, string>();
  const nameOf = (path: string) => nameIn(status?.folders ?? [], path);
  const onError = (error: unknown) => frame.say(messageOf(error));
  let review: ReviewView | undefined;
  /** Views that show the status. */
  let following: readonly { setStatus(status: Status): void }[] = [];
  let changed = (_path: string) => {};
  const watch = new FileWatch((path) => changed(path), onError);
  const reviewed = new FileWatch((path) => review?.fileChanged(path), onError);
  const loadColouring = () => import('../review/reviewers/terminal/colouring.ts');
  const frame = new Frame({
    terminal: new Terminal(terminal),
    views: (screen) => {
      review = new ReviewView({
        screen,
        nameOf,
        loadColouring,
        files: {
          watch: (path) => reviewed.add(path),
          unwatch: (path) => reviewed.remove(path),
          read: async (path) => (await bridge.readFile(path)).text,
        },
        // The demo has an agent of its own.
        facts: () => (status === undefined || leaving === 'ends the demo' ? undefined : factsOf(status)),
        // In a program of its own: it has its own bridge and folder, and nothing of this one.
        ...(leaving !== 'ends the demo' && {
          demo: () => void screen.lend(() => runProgram([...environment.program, 'demo'])).catch(onError),
        }),
        editText: async (path, text, file) => {
          const outcome = await editText(path, text, { editor, temporaryFolder, file });
          if (outcome.kind === 'unchanged') drafts.set(outcome.file, text);
          else if (file !== undefined) drafts.delete(file);
          return outcome;
        },
        keepText: (path, text) => {
          const file = texts.keep(path, text);
          kept.push({ path, file });
          return file;
        },
      });
      const highlight = fileColours(loadColouring, screen.redraw);
      const files = new FilesView({ screen, bridge, nameOf, highlight, watch });
      changed = (path) => void files.fileChanged(path);
      const guides = async (folder: string) => (await import('./connect-guides.ts')).connectGuides(folder, environment);
      const agents = new AgentsView({ screen, bridge, guides, facts: (of) => factsOf(of).agents });
      const traffic = new TrafficView({ screen, bridge, folder: cwd });
      const openFile = (path: string, line: number) => {
        screen.show(files.name);
        void files.open(path, line);
      };
      const languages = (of: Status) => factsOf(of).languages;
      const diagnostics = new DiagnosticsView({ screen, bridge, nameOf, openFile, languages });
      following = [files, agents, diagnostics];
      // The demo's first messages come before the user can open this view.
      if (leaving === 'ends the demo') traffic.watch();
      return [review, files, agents, traffic, diagnostics];
    },
    leaveQuestion: () => {
      if (leaving !== 'ends the bridge') return undefined;
      const count = status?.proposals ?? 0;
      const waiting = count === 0 ? '' : count === 1 ? ' 1 change waits.' : ` ${count} changes wait.`;
      return `End the bridge?${waiting} y ends it, any other key goes back.`;
    },
    leaveHelp: LEAVING[leaving].help,
    leaveHint: LEAVING[leaving].hint,
    suspending: leaving === 'at once' ? 'allowed' : 'ignored',
    keys: [
      {
        key: 'p',
        keys: 'p',
        does: 'pause: share nothing with agents; again to resume',
        press: () => void (status?.paused === true ? bridge.resume() : bridge.pause()).catch(onError),
      },
      {
        key: 'W',
        keys: 'W',
        does: 'open this review in the browser',
        press: () => void showPage().catch(onError),
      },
      {
        key: 'T',
        keys: 'T',
        does: 'trust this folder: run language servers that are part of it',
        press: () => void askForTrust().catch(onError),
      },
    ],
  });
  const showPage = async () => {
    const { link, isOpen } = await openPage(bridge, { open: true }, environment);
    frame.say(isOpen ? 'The page is open in your browser.' : `Open this link, once: ${link}`);
  };
  const askForTrust = async () => {
    // Programs that are installed later are no change of the status.
    const now = await bridge.status();
    const { folders } = now;
    const programs = untrustedPrograms(now);
    if (programs.length === 0) return frame.say('No language server waits for your trust.');
    const question = `Run ${programs.join(', ')} of ${folders.join(', ')}? They can do what you can. y trusts the folder, any other key goes back.`;
    frame.ask(question, (key) => {
      if (key !== 'y') return;
      for (const folder of folders) new TrustedFolders(environment.stateFolder).add(folder);
      // It looks for programs again.
      bridge.status().then(receive, onError);
    });
  };
  let hasAdvised = false;
  const receive = (next: Status) => {
    const before = status;
    status = next;
    const { ruled } = next;
    if (before !== undefined && ruled !== undefined && ruled.count !== before.ruled?.count) {
      frame.say(`${ruledInWords({ ...ruled, path: nameOf(ruled.path) })}. hawser undo takes a change back.`);
    }
    for (const view of following) view.setStatus(next);
    frame.setStatus(banner ?? statusBar(next, factsOf(next), nameOf));
    if (hasAdvised || untrustedPrograms(next).length === 0) return;
    hasAdvised = true;
    frame.say('Language servers of this folder are not run: T if you trust it.');
  };
  if (review !== undefined) {
    bridge.attach(review.reviewer, receive).catch((error: Error) => {
      frame.leave();
      stderr(`hawser: ${error.message}`);
    });
  }
  void bridge.closed.then(() => {
    hasBridge = false;
    // The user's editor keeps the terminal until it ends.
    frame.leaveWhenFree();
  });
  /** The terminal has been given back. Safe to call twice. */
  const close = () => {
    review?.close();
    watch.close();
    reviewed.close();
    for (const [file, text] of drafts) {
      if (!discardDraft(file, text)) kept.push({ path: file, file });
    }
    drafts.clear();
    for (const { path, file } of kept.splice(0)) {
      stderr(`hawser: your version of ${basename(path)} was not sent; it is kept in ${file}`);
    }
  };
  return {
    over: frame.over.then(() => {
      close();
      return hasBridge ? 'left' : 'bridge ended';
    }),
    say: (message) => frame.say(message),
    setBanner: (text) => {
      banner = text;
      frame.setStatus(text);
    },
    isEditing: () => frame.isLent,
    leave: () => {
      frame.leave();
      // At once: the process may end next.
      close();
    },
  };
}

function untrustedPrograms({ languagePrograms }: Status): readonly string[] {
  const programs = languagePrograms?.filter(({ state }) => state === 'not trusted') ?? [];
  return [...new Set(programs.map(({ path }) => basename(path)))];
}

/** Remembers those of the last status: they are asked for at each draw, and programs are looked for on disk. */
function factsOfStatus({ searchPath }: Environment): (status: Status) => WorkspaceFacts {
  let last: { readonly of: Status; readonly facts: WorkspaceFacts } | undefined;
  return (status) => {
    if (last?.of !== status) last = { of: status, facts: workspaceFacts(status, searchPath) };
    return last.facts;
  };
}
