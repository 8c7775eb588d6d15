import type { Language } from './highlight-js.js';

declare const language: Language;
export default language;
