import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { TextStore } from './text-store.ts';

it('the texts that were named last stay when there is no more room, also those of one millisecond', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = new TextStore(temporaryFolder(), 20);
  const kept = Array.from({ length: 20 }, (_, nth) => {
    const common = store.add('common');
    const own = store.add(`own ${nth} ......`);
    store.add(`own ${nth} ......`);
    return [store.get(common), store.get(own)];
  });
  expect(kept).toEqual(Array.from({ length: 20 }, (_, nth) => ['common', `own ${nth} ......`]));
});
