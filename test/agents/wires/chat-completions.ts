import { eventStream, isNonEmptyList, json, type ModelWire, type Turn } from '../turn.ts';

/** OpenAI's chat completions, streamed when the agent asks for a stream. */
export const chatCompletions: ModelWire = {
  accepts: (path) => path.endsWith('/chat/completions'),
  offersTools: ({ tools }) => isNonEmptyList(tools),
  answer(turn, { model, stream }, { id }) {
    const finish_reason = 'say' in turn ? 'stop' : 'tool_calls';
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const base = { id: `chatcmpl-${id}`, created: 0, model };
    const message = { role: 'assistant', ...contentOf(turn, id) };
    if (stream !== true) {
      return json({ ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage });
    }
    const chunk = { ...base, object: 'chat.completion.chunk' };
    return eventStream(
      [
        { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
        { ...chunk, choices: [], usage },
      ],
      'data: [DONE]\n\n',
    );
  },
};

function contentOf(turn: Turn, id: string): object {
  if ('say' in turn) return { content: turn.say };
  if (typeof turn.input === 'string') {
    const custom = { name: turn.use, input: turn.input };
    return { content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: 'custom', custom }] };
  }
  const call = { name: turn.use, arguments: JSON.stringify(turn.input) };
  return { content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }] };
}
