// One connection to a server that breaks exactly one rule of the protocol, named as the check that finds it.
import { capabilitiesOf, catalog } from './catalog.mjs';
import { DEAD, FAULTS, SILENT, TWICE } from './faults.mjs';
import { PUSHES_AFTER, PUSHES_BEFORE } from './pushes.mjs';
import { acknowledgment, statelessOutcome } from './stateless.mjs';
import { TEXT_FAULTS } from './text-faults.mjs';

/** The connection breaks. */
export class Dead extends Error {}

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const failure = (id, code, message = 'Refused', data = undefined) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});
const isId = (id) => typeof id === 'string' || Number.isSafeInteger(id);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const STATELESS = 'io.modelcontextprotocol/protocolVersion';
let conversations = 0;
/** Rules whose server does not recover from a broken connection. */
const broken = new Set();

export class Conversation {
  constructor(rule) {
    this.rule = rule;
    this.revision = undefined;
    this.declared = {};
    conversations += 1;
    this.number = conversations;
  }

  breaks(rule) {
    return this.rule === rule;
  }

  /** The answers to one text, each a value to be sent as JSON. */
  receive(text) {
    if (broken.has(this.rule)) throw new Dead();
    const spoiled = TEXT_FAULTS[this.rule]?.(text, this);
    if (spoiled === DEAD) throw new Dead();
    if (spoiled !== undefined) return spoiled;
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return [failure(null, -32700)];
    }
    const answers = Array.isArray(message) ? this.batch(message) : this.one(message);
    if (!isObject(message)) return answers;
    this.before = typeof message.id === 'string' ? message.id : undefined;
    const before = PUSHES_BEFORE[this.rule] ?? PUSHES_BEFORE.none;
    return [...before(message, this), ...answers, ...(PUSHES_AFTER[this.rule]?.(message, this) ?? [])];
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
    if (typeof message !== 'object' || message === null) return [failure(null, -32600)];
    const { jsonrpc, id, method, params, result, error } = message;
    const isLax = this.breaks(jsonrpc === undefined ? 'jsonrpc-missing' : 'jsonrpc-version');
    if (jsonrpc !== '2.0' && !isLax) return [failure(id ?? null, -32600)];
    if (method === undefined) return this.answer(id, result, error);
    if (typeof method !== 'string') return this.breaks('method-type') ? [] : [failure(id, -32600)];
    if (id === undefined) return this.notification(method, params);
    if (!isId(id) && !this.breaks(idRule(id))) return [failure(null, -32600)];
    if (typeof params === 'string' && !this.breaks('params-type')) return [failure(id, -32602)];
    return this.request({
      id,
      method,
      params: isObject(params) ? params : {},
      rawParams: params,
      hasParams: params !== undefined,
      conversation: this,
    });
  }

  /** An answer to a request that this server never sent, unless a rule made it. */
  answer(id, result, error) {
    if (result === undefined && error === undefined) return [failure(id ?? null, -32600)];
    const isRefused = this.breaks(error === undefined ? 'stray-answer-ignored' : 'stray-error-ignored');
    return isRefused ? [failure(id, -32600)] : [];
  }

  notification(method, params) {
    const isFirst = method === 'notifications/initialized' && !this.isInitialized;
    if (method === 'notifications/initialized') this.isInitialized = true;
    const { requestId } = params ?? {};
    const isCancelled = method === 'notifications/cancelled';
    if (this.breaks('cancel-malformed') && isCancelled && requestId === undefined) throw new Dead();
    if (this.breaks('initialize-cancelled') && requestId === 'request-0') throw new Dead();
    if (this.breaks('listen-cancelled') && requestId === 'ending') throw new Dead();
    const isAnswered =
      (this.breaks('initialized-unanswered') && isFirst) ||
      (this.breaks('initialized-twice') && method === 'notifications/initialized' && !isFirst) ||
      (this.breaks('notification-unanswered') && method === 'notifications/hawser-unknown') ||
      (this.breaks('roots-changed') && method === 'notifications/roots/list_changed') ||
      (this.breaks('request-without-id') && method === 'tools/list') ||
      (this.breaks('cancel-unknown') && requestId === 'no-such-request') ||
      (this.breaks('cancel-late') && requestId === 'was-answered') ||
      (this.breaks('cancel-type') && isObject(requestId));
    return isAnswered ? [failure(null, -32601)] : [];
  }

  request(request) {
    const { id, method, params } = request;
    if (this.breaks('reconnect') && id === 'lost') broken.add(this.rule);
    const isStateless = params._meta?.[STATELESS] !== undefined;
    if (isStateless) this.wasStateless = true;
    if (this.breaks('listen-stays-open') && method === 'server/discover' && this.listening === 'open') throw new Dead();
    const right = isStateless ? statelessOutcome(this.rule, request) : this.outcome(request);
    if (isStateless && method === 'subscriptions/listen' && right === undefined) {
      this.listening = id;
      return acknowledgment(this.rule, id, params);
    }
    const spoiled = isStateless ? right : (FAULTS[this.rule]?.(request, right) ?? right);
    if (spoiled === SILENT) return [];
    if (spoiled === DEAD) throw new Dead();
    // A fault of a stateless request says TWICE instead of its outcome.
    const outcome = spoiled === TWICE ? (isStateless ? {} : right) : spoiled;
    const answer = this.message(id, outcome, params);
    return spoiled === TWICE ? [answer, answer] : [answer];
  }

  message(id, outcome, params) {
    const isFailure = isObject(outcome) && outcome.error !== undefined;
    // Everything that was sent is named in the message.
    const text = isFailure ? (outcome.message ?? `Refused: ${JSON.stringify(params)}`) : '';
    const message = isFailure
      ? failure(spoiledId(this.rule, id), outcome.error, this.errorText(text), outcome.data)
      : { jsonrpc: '2.0', id: spoiledId(this.rule, id), result: outcome };
    if (this.breaks('answer-shape') && !isFailure) message.jsonrpc = '1.0';
    if (this.breaks('result-or-error') && isFailure && String(id).startsWith('observed-')) message.result = {};
    return message;
  }

  errorText(text) {
    if (this.breaks('error-shape')) return 5;
    return this.breaks('error-message') ? '' : text;
  }

  /** The right outcome of a request in a session, or before one. */
  outcome({ method, params, hasParams }) {
    if (method === 'initialize') return this.initialize(params, hasParams);
    if (method === 'ping') {
      const isEarly = this.revision === undefined && this.breaks('ping-before-initialize');
      const isBetween = this.revision !== undefined && !this.isInitialized && this.breaks('ping-before-initialized');
      return isEarly || isBetween ? { error: -32600 } : {};
    }
    if (this.revision === undefined) return { error: -32600 };
    return catalog(this.rule, method, params) ?? { error: -32601 };
  }

  initialize({ protocolVersion: asked, capabilities = {} }, hasParams) {
    const isLax =
      (this.breaks('version-missing') && asked === undefined && Object.keys(capabilities).length === 0 && hasParams) ||
      (this.breaks('version-type') && typeof asked === 'number') ||
      (this.breaks('initialize-without-params') && !hasParams);
    if (this.revision !== undefined) return { error: -32600 };
    if (this.breaks('stateless-and-sessions') && this.wasStateless) return { error: -32600 };
    if (this.breaks('initialize-again') && this.hasFailed) return { error: -32603 };
    if (typeof asked !== 'string' && !isLax) {
      this.hasFailed = true;
      return { error: -32602 };
    }
    if (capabilities.hawserUnknown && this.breaks('initialize-unknown-members')) return { error: -32602 };
    this.declared = capabilities;
    this.revision = this.negotiated(asked);
    return { protocolVersion: this.revision, capabilities: capabilitiesOf(this.rule), serverInfo: infoOf(this.rule) };
  }

  negotiated(asked) {
    if (this.breaks('version-kept')) return asked === '2025-11-25' ? '2025-06-18' : '2025-11-25';
    if (this.breaks('version-published') && asked === '2025-11-25') return '2025-09-01';
    if (this.breaks('version-unknown') && asked === '1999-01-01') return asked;
    if (this.breaks('version-future') && asked === '2099-12-31') return asked;
    if (this.breaks('version-latest') && !VERSIONS.includes(asked)) return '2024-11-05';
    return VERSIONS.includes(asked) ? asked : '2025-11-25';
  }
}

function idRule(id) {
  if (Array.isArray(id)) return 'id-array';
  if (typeof id === 'number') return Number.isInteger(id) ? 'id-above-2-53' : 'id-fraction';
  return `id-${id === null ? 'null' : typeof id}`;
}

function spoiledId(rule, id) {
  const spoiled = {
    'id-zero': id === 0 ? null : id,
    'id-negative': id === -1 ? 1 : id,
    'id-large': id === Number.MAX_SAFE_INTEGER ? id - 1 : id,
    'id-empty-string': id === '' ? null : id,
    'id-digits': id === '7' ? 7 : id,
    'id-types-distinct': id === '1' ? 1 : id,
    'id-unicode': typeof id === 'string' ? id.replace(/[^\0-\x7f]+/g, '?') : id,
    'id-newline': id === 'a\nb' ? 'a b' : id,
    'id-long': typeof id === 'string' ? id.slice(0, 255) : id,
    'id-control-characters': typeof id === 'string' ? id.replace(/[\0\x7f]/g, '') : id,
    'id-prototype': id === '__proto__' ? null : id,
  };
  return rule in spoiled ? spoiled[rule] : id;
}

function infoOf(rule) {
  if (rule === 'initialize-result') return { name: 'bad' };
  return {
    name: rule === 'server-name' ? '' : 'bad',
    version: '1.0.0',
    ...(rule === 'server-info' && { title: 5 }),
  };
}
