import type { CompleteParams, CreateMessageResult, ElicitResult, Root } from '@hawser/mcp';
import type { CallParams } from './call-params.ts';
import type { QuestionAnswer, TargetChoice } from './calls.ts';

/** How the user named a server, from the parameters of a call. */
export function readTargetChoice(params: CallParams): TargetChoice {
  const kind = params.choice('kind', ['given', 'last', 'stdio', 'url', 'lock', 'server']);
  switch (kind) {
    case 'given':
    case 'last':
      return { kind };
    case 'stdio':
      return { kind, command: params.text('command'), env: params.textMembers('env') };
    case 'url':
      return { kind, url: params.text('url'), headers: params.texts('headers') };
    case 'lock':
      return { kind, path: params.text('path') };
    case 'server':
      return { kind, name: params.text('name'), config: params.text('config') };
  }
}

export function readAnswer(params: CallParams): QuestionAnswer {
  const id = params.text('id');
  const answer = params.params('answer');
  const kind = answer.choice('kind', ['elicitation', 'sampling', 'refused']);
  if (kind === 'refused') return { id, answer: { kind } };
  // The server gets what the user wrote, whether or not it fits.
  if (kind === 'sampling')
    return { id, answer: { kind, result: answer.object('result') as unknown as CreateMessageResult } };
  const result = answer.params('result');
  const action = result.choice('action', ['accept', 'decline', 'cancel']);
  if (action !== 'accept' || !result.has('content')) return { id, answer: { kind, result: { action } } };
  const content = result.object('content') as NonNullable<ElicitResult['content']>;
  return { id, answer: { kind, result: { action, content } } };
}

export function readRoots(params: CallParams): Root[] {
  return params.list('roots').map((root) => {
    const name = root.optionalText('name');
    return { uri: root.text('uri'), ...(name !== undefined && { name }) };
  });
}

export function readCompletion(params: CallParams): CompleteParams {
  const ref = params.params('ref');
  const argument = params.params('argument');
  const type = ref.choice('type', ['ref/prompt', 'ref/resource']);
  return {
    ref: type === 'ref/prompt' ? { type, name: ref.text('name') } : { type, uri: ref.text('uri') },
    argument: { name: argument.text('name'), value: argument.text('value') },
    ...(params.has('context') && { context: { arguments: { ...params.params('context').textMembers('arguments') } } }),
  };
}
