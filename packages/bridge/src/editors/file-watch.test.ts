import { EventEmitter, once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { FileWatch, type FileWatchOptions, type FolderWatcher } from './file-watch.ts';

function startWatch(options: FileWatchOptions = {}) {
  const events = new EventEmitter();
  const problems: string[] = [];
  const watch = new FileWatch(
    (path) => events.emit('change', path),
    (problem) => problems.push(problem.message),
    { retryMs: 1, ...options },
  );
  onTestFinished(() => watch.close());
  return { watch, events, problems };
}

/** Watchers whose errors and changes the test decides. */
function controlledWatchers() {
  const started: { readonly fail: (error: Error) => void; readonly change: (name: string) => void }[] = [];
  const arrivals = new EventEmitter();
  let isOpen = 0;
  const watch = (_folder: string, changed: (name: string | null) => void): FolderWatcher => {
    const watcher = new EventEmitter();
    isOpen += 1;
    started.push({ fail: (error) => watcher.emit('error', error), change: changed });
    arrivals.emit('started');
    return Object.assign(watcher, {
      close: () => {
        isOpen -= 1;
      },
    });
  };
  return { watch, started, arrivals, open: () => isOpen };
}

describe('a file watch', () => {
  it('watches a file again after an error of its watcher, and reports it then', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a');
    const { watch: watchFolder, started, arrivals } = controlledWatchers();
    const { watch, events, problems } = startWatch({ watch: watchFolder });
    await watch.add(path);
    const [again, changed] = [once(arrivals, 'started'), once(events, 'change')];
    started[0]?.fail(new Error('too many'));
    await again;
    expect(await changed).toEqual([path]);
    expect(problems).toEqual([`No longer watching ${folder}`]);
    const later = once(events, 'change');
    started[1]?.change('a');
    expect(await later).toEqual([path]);
  });

  it('tries again until the folder can be watched', async () => {
    const path = join(temporaryFolder(), 'a');
    let attempts = 0;
    const { watch: watchFolder, started } = controlledWatchers();
    const { watch, events, problems } = startWatch({
      watch: (folder, changed) => {
        attempts += 1;
        if (attempts < 4) throw new Error('ENOSPC');
        return watchFolder(folder, changed);
      },
    });
    const changed = once(events, 'change');
    await watch.add(path);
    expect(await changed).toEqual([path]);
    expect([attempts, started.length, problems.length]).toEqual([4, 1, 1]);
  });

  it('watches a file again after its folder was deleted and made anew', async () => {
    const folder = join(temporaryFolder(), 'below');
    const path = join(folder, 'a');
    mkdirSync(folder);
    writeFileSync(path, 'one');
    const { watch, events } = startWatch();
    await watch.add(path);
    const gone = once(events, 'change');
    rmSync(folder, { recursive: true });
    await gone;
    const back = once(events, 'change');
    mkdirSync(folder);
    await back;
    const written = once(events, 'change');
    writeFileSync(path, 'two');
    expect(await written).toEqual([path]);
  });

  it('closes every watcher, also of a file that was removed while it was being added', async () => {
    const path = join(temporaryFolder(), 'a');
    const { watch: watchFolder, open } = controlledWatchers();
    const { watch } = startWatch({ watch: watchFolder });
    const adding = watch.add(path);
    watch.remove(path);
    await adding;
    expect(open()).toBe(0);
    await watch.add(path);
    expect(open()).toBe(1);
    watch.close();
    expect(open()).toBe(0);
    const late = watch.add(path);
    watch.close();
    await late;
    expect(open()).toBe(0);
  });
});
