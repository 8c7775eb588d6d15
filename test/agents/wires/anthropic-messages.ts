import { eventStream, isNonEmptyList, type ModelWire } from '../turn.ts';

/** Anthropic's Messages API, streamed. */
export const anthropicMessages: ModelWire = {
  accepts: (path) => path.endsWith('/v1/messages'),
  offersTools: ({ tools }) => isNonEmptyList(tools),
  answer(turn, { model }, { id }) {
    const [block, delta, stop_reason] =
      'say' in turn
        ? [{ type: 'text', text: '' }, { type: 'text_delta', text: turn.say }, 'end_turn']
        : [
            { type: 'tool_use', id: `toolu_${id}`, name: turn.use, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) },
            'tool_use',
          ];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [], usage };
    return eventStream([
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]);
  },
};
