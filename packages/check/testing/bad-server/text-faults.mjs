// How each rule about the text of messages is broken. A fault gets the text and returns what is sent, DEAD, or undefined to leave it.
import { DEAD } from './faults.mjs';

const failure = (id, code) => ({ jsonrpc: '2.0', id, error: { code, message: 'Refused' } });
const dies = (part) => (text) => (text.includes(part) ? DEAD : undefined);
const isInvalid = (text) => {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
};

export const TEXT_FAULTS = {
  'large-message': (text) => (text.length > 500_000 ? DEAD : undefined),
  'deep-message': dies('{"a":{"a":{"a":'),
  'parse-error-survived': dies('this is not JSON'),
  'parse-error-answered': (text) => (isInvalid(text) ? [] : undefined),
  'parse-error-id': (text) => (isInvalid(text) ? [failure('half', -32700)] : undefined),
  'errors-survived': (text, conversation) => {
    if (!isInvalid(text)) return undefined;
    conversation.bad = (conversation.bad ?? 0) + 1;
    return conversation.bad > 10 ? DEAD : undefined;
  },
  'non-object-survived': (text) => (text === '42' ? DEAD : undefined),
  'non-object-answered': (text) => (text === '"hello"' ? [] : undefined),
  'message-empty': (text) => (text === '{}' ? [] : undefined),
  'message-without-method': (text) => (text.includes('"nothing"}') ? [] : undefined),
  'message-array': (text) => (text === '[1]' ? [] : undefined),
  'id-lone-surrogate': dies('\\ud800'),
  'json-duplicate-members': dies('"d1"'),
  'json-huge-number': dies('1e400'),
  'json-proto-member': (text) => (text.includes('"__proto__":{') ? [] : undefined),
  'json-whitespace': (text) => (text.includes('json-whitespace') ? [failure('json-whitespace', -32600)] : undefined),
  'json-escapes': (text) => (text.includes('\\u0069') ? [failure('json-escapes', -32601)] : undefined),
  'json-member-order': (text) => (text.startsWith('{"params"') ? [failure('json-member-order', -32600)] : undefined),
  'notification-bad-params': dies('"params":"text"'),
  'refused-id': (text) => (text.includes('"readable"') ? [failure(null, -32600)] : undefined),
};
