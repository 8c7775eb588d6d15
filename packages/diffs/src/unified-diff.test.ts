import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const names = { oldName: 'proposed', newName: 'accepted' };

it('a diff is written as diff -u writes it', () => {
  expect(unifiedDiff('a\nb\nc\n', 'a\nB\nc', names)).toBe(
    '--- proposed\n+++ accepted\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n',
  );
});

it('equal texts have an empty diff', () => {
  expect(unifiedDiff('a\n', 'a\n', names)).toBe('');
});
