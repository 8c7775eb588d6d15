/** Replaces surrogates without a partner, which many JSON readers reject, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to show
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const CONTROLS = new RegExp(CONTROL, 'g');

/** Shows control characters other than line ends and tabs as their pictures. */
export function visible(text: string): string {
  return CONTROL.test(text) ? text.replaceAll('\r\n', '\n').replace(CONTROLS, picture) : text;
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return '␡';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\x${code.toString(16)}`;
}
