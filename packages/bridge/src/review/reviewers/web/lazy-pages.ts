import type { PageDoor } from '../../../control/host.ts';
import type { ReviewPages } from '../../../control/pages.ts';

/** The page of a bridge. What serves it is loaded when it is first opened. */
export function lazyPages(door: PageDoor): ReviewPages {
  let pages: ReviewPages | undefined;
  let isClosed = false;
  return {
    open: async (options) => {
      const { WebPages } = await import('./web-pages.ts');
      if (isClosed) throw new Error('The bridge is closing');
      pages ??= new WebPages(door);
      return await pages.open(options);
    },
    served: () => pages?.served() ?? [],
    logins: () => pages?.logins() ?? [],
    revoke: (id) => pages?.revoke(id) ?? false,
    close: async () => {
      isClosed = true;
      await pages?.close();
    },
  };
}
