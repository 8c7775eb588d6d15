import { applyTheme, storedTheme } from '@hawser/page-parts/theme';
import { render } from 'preact';
import { App } from './app.tsx';
import { Inspection } from './inspection.ts';
import { keepToken, pageProof } from './page-secret.ts';
import { ToolCalls } from './tool-calls.ts';

applyTheme(storedTheme());
const inspection = new Inspection();
const open = () => inspection.open(pageProof(), keepToken);
const element = document.getElementById('app');
if (element !== null) render(<App inspection={inspection} calls={new ToolCalls(inspection)} reopen={open} />, element);
void open();
// Opened with another link in the same tab.
addEventListener('hashchange', () => void open());
