import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';
import type { ConfigFile } from './guide.ts';

/** The text of a configuration file with its settings. Without a text, that of a new file. Throws a ConfigRefused. */
export function configured(
  text: string | undefined,
  { format, settings }: Pick<ConfigFile, 'format' | 'settings'>,
): string {
  return format === 'json' ? editJson(text ?? '', settings) : editToml(text ?? '', settings);
}

/** What a file without any other settings would contain, for display. */
export function snippetOf(file: Pick<ConfigFile, 'format' | 'settings'>): string {
  return configured(undefined, file).trimEnd();
}
