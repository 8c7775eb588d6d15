import { applyTheme, storedTheme } from '@hawser/page-parts/theme';
import { render } from 'preact';
import { App } from './app.tsx';
import { listenForKeys } from './keys.ts';
import { Session } from './session.ts';

applyTheme(storedTheme());
const session = new Session();
const element = document.getElementById('app');
if (element !== null) render(<App session={session} />, element);
listenForKeys(session);
session.start();
// Opened with another link in the same tab.
addEventListener('hashchange', () => location.hash !== '' && session.start());
