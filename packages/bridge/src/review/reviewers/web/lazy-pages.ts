import type { PageDoor } from '../../../control/host.ts';
import type { ReviewPages } from '../../../control/pages.ts';

/** The page of a bridge. What serves it is loaded when it is first opened. */
export function lazyPages(door: PageDoor): ReviewPages {
  let pages: ReviewPages | undefined;
  return {
    open: async (options) => {
      const { WebPages } = await import('./web-pages.ts');
      pages ??= new WebPages(door);
      return await pages.open(options);
    },
    served: () => pages?.served() ?? [],
    logins: () => pages?.logins() ?? [],
    revoke: (id) => pages?.revoke(id) ?? false,
    close: async () => pages?.close(),
  };
}
