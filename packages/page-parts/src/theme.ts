export type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'theme';

/** What the user chose before, in this tab. */
export function storedTheme(): Theme {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** `system` follows the system. */
export function applyTheme(theme: Theme): void {
  sessionStorage.setItem(STORAGE_KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
