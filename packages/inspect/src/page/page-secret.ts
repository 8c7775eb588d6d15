const STORAGE_KEY = 'token';

/**
 * What the page proves itself with: the secret of the link it was opened with, or the token it got for one before. The
 * link leaves the address bar, because it works once.
 */
export function pageProof(): string {
  const link = location.hash.slice(1);
  if (link === '') return `page.${sessionStorage.getItem(STORAGE_KEY) ?? ''}`;
  history.replaceState(null, '', '/');
  return `link.${link}`;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(STORAGE_KEY, token);
}
