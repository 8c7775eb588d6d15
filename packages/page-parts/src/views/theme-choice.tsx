import { useState } from 'preact/hooks';
import { applyTheme, storedTheme, type Theme } from '../theme.ts';

/** Lets the user choose the colours of the page. */
export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <label>
      <span class="sr-only">Colours</span>
      <select value={theme} onChange={({ currentTarget: { value } }) => choose(value as Theme)}>
        <option value="system">System colours</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
