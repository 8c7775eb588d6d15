const STORAGE_KEY = 'page-secret';

/** Whether this browser may open the channel now; `wrong link`: it was used, or is too old. */
export type LoggedIn = 'yes' | 'wrong link';

/**
 * Logs in with the secret of the link that the page was opened with, if there is one. The link leaves the address bar before
 * anything else happens, because it works once.
 */
export async function logIn(): Promise<LoggedIn> {
  const link = location.hash.slice(1);
  if (link === '') return 'yes';
  history.replaceState(null, '', '/');
  const response = await fetch('/login', { method: 'POST', body: link, credentials: 'same-origin' });
  if (!response.ok) return 'wrong link';
  localStorage.setItem(STORAGE_KEY, await response.text());
  return 'yes';
}

/** What only pages of this host and port know; the cookie is the other half. */
export function pageProof(): string {
  return `page.${localStorage.getItem(STORAGE_KEY) ?? ''}`;
}
