// One connection to a server that breaks exactly one rule of the protocol, named as the check that finds it.
import { capabilitiesOf, catalog } from './catalog.mjs';
import { answerStateless } from './stateless.mjs';

/** The connection breaks. */
export class Dead extends Error {}

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const failure = (id, code, message = 'Refused') => ({ jsonrpc: '2.0', id, error: { code, message } });
const success = (id, result) => ({ jsonrpc: '2.0', id, result });
const isId = (id) => typeof id === 'string' || Number.isInteger(id);

export class Conversation {
  constructor(rule) {
    this.rule = rule;
    this.revision = undefined;
  }

  breaks(rule) {
    return this.rule === rule;
  }

  /** The answers to one text, each a value to be sent as JSON. */
  receive(text) {
    if (text.length > 500_000 && this.breaks('large-message')) throw new Dead();
    if (text.includes('{"a":{"a":{"a":') && this.breaks('deep-message')) throw new Dead();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      if (this.breaks('parse-error-survived') && text.startsWith('this')) throw new Dead();
      return this.breaks('parse-error-answered') ? [] : [failure(null, -32700)];
    }
    return Array.isArray(message) ? this.batch(message) : this.one(message);
  }

  batch(messages) {
    if (this.revision !== '2025-03-26') {
      return this.breaks('batch-refused') ? messages.flatMap((each) => this.one(each)) : [failure(null, -32600)];
    }
    if (messages.length === 0) return this.breaks('batch-empty') ? [] : [failure(null, -32600)];
    if (this.breaks('batch-answered') && messages.length > 1) return [];
    const answers = messages.filter(({ id }) => id !== undefined).flatMap((each) => this.one(each));
    return answers.length === 0 && !this.breaks('batch-notifications') ? [] : [answers];
  }

  one(message) {
    if (typeof message !== 'object' || message === null) {
      if (this.breaks('non-object-survived') && message === 42) throw new Dead();
      return this.breaks('non-object-answered') ? [] : [failure(null, -32600)];
    }
    const { jsonrpc, id, method, params } = message;
    const isLax = this.breaks(jsonrpc === undefined ? 'jsonrpc-missing' : 'jsonrpc-version');
    if (jsonrpc !== '2.0' && !isLax) return [failure(id ?? null, -32600)];
    if (method === undefined) return this.breaks('stray-answer-ignored') ? [failure(id, -32600)] : [];
    if (typeof method !== 'string') return this.breaks('method-type') ? [] : [failure(id, -32600)];
    if (id === undefined) return this.notification(method, params);
    const kind = id === null ? 'null' : typeof id;
    if (!isId(id) && !this.breaks(`id-${kind}`)) return [failure(null, -32600)];
    if (typeof params === 'string' && !this.breaks('params-type')) return [failure(id, -32602)];
    if (id === 'many-7' && this.breaks('one-answer')) return [success(id, {}), success(id, {})];
    return [this.withId(this.request(id, method, params ?? {}))];
  }

  notification(method, params) {
    const isAnswered =
      (this.breaks('initialized-unanswered') && method === 'notifications/initialized') ||
      (this.breaks('notification-unanswered') && method === 'notifications/hawser-unknown') ||
      (this.breaks('cancel-unknown') && params?.requestId !== undefined);
    if (this.breaks('cancel-malformed') && method === 'notifications/cancelled' && params?.requestId === undefined) {
      throw new Dead();
    }
    return isAnswered ? [failure(null, -32601)] : [];
  }

  /** Spoils the id of an answer. */
  withId(answer) {
    const { id } = answer;
    const spoiled = {
      'id-zero': id === 0 ? null : id,
      'id-negative': id === -1 ? 1 : id,
      'id-large': id === Number.MAX_SAFE_INTEGER ? id - 1 : id,
      'id-empty-string': id === '' ? null : id,
      'id-digits': id === '7' ? 7 : id,
      'id-unicode': typeof id === 'string' ? id.replace(/[^\0-\x7f]+/g, '?') : id,
      'id-newline': id === 'a\nb' ? 'a b' : id,
    };
    return { ...answer, id: this.rule in spoiled ? spoiled[this.rule] : id };
  }

  request(id, method, params) {
    if (params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined) {
      return answerStateless(this.rule, id, method, params);
    }
    if (method === 'initialize') return this.initialize(id, params);
    if (
      this.revision === undefined &&
      !(method === 'ping' ? !this.breaks('ping-before-initialize') : this.breaks('request-before-initialize'))
    ) {
      return failure(id, -32600, 'Not initialized');
    }
    if (method === 'ping') {
      if (params.unknown !== undefined && this.breaks('unknown-members')) return failure(id, -32602);
      return {
        ...success(id, this.breaks('ping') ? { pong: true } : {}),
        ...(this.breaks('answer-shape') && { jsonrpc: '1.0' }),
      };
    }
    const outcome = catalog(this.rule, method, params);
    if (outcome?.error !== undefined) return failure(id, outcome.error);
    if (outcome !== undefined) return success(id, outcome);
    if (method === 'toString' && this.breaks('unknown-method-prototype')) return success(id, {});
    if (method.startsWith('hawser/') && this.breaks('unknown-method')) return failure(id, -32603);
    return this.breaks('error-shape') ? failure(id, -32601, 5) : failure(id, -32601);
  }

  initialize(id, { protocolVersion: asked, capabilities = {} }) {
    if (this.revision !== undefined && !this.breaks('initialize-twice'))
      return failure(id, -32600, 'Already initialized');
    if (asked === undefined && !this.breaks('version-missing')) return failure(id, -32602);
    if (capabilities.hawserUnknown && this.breaks('initialize-unknown-members')) return failure(id, -32602);
    let protocolVersion = VERSIONS.includes(asked) ? asked : '2025-11-25';
    if (this.breaks('version-kept')) protocolVersion = asked === '2025-11-25' ? '2025-06-18' : '2025-11-25';
    if (this.breaks('version-unknown')) protocolVersion = asked ?? protocolVersion;
    this.revision = protocolVersion;
    return success(id, { protocolVersion, capabilities: capabilitiesOf(this.rule), serverInfo: infoOf(this.rule) });
  }
}

function infoOf(rule) {
  return rule === 'initialize-result' ? { name: 'bad' } : { name: 'bad', version: '1.0.0' };
}
