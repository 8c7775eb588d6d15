/** What programs need to run at all. The rest of an environment often holds secrets. */
const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
const INHERITED_ON_WINDOWS = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
];

/** The variables that `connectStdio` passes on by default: those that every program needs. */
export function defaultEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const names = process.platform === 'win32' ? INHERITED_ON_WINDOWS : INHERITED;
  const environment: Record<string, string> = {};
  for (const name of names) {
    const value = variables[name];
    // A shell exports its functions as variables that begin like this, and another would run them.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  return environment;
}
