import { eventStream, isNonEmptyList, type ModelWire, type Turn } from '../turn.ts';

/** OpenAI's Responses API, streamed. */
export const responses: ModelWire = {
  accepts: (path) => path.endsWith('/responses'),
  offersTools: ({ tools }) => isNonEmptyList(tools),
  answer(turn, { model }, { id }) {
    const item = itemOf(turn, id);
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const response = { id: `resp_${id}`, object: 'response', created_at: 0, model };
    return eventStream([
      { type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item },
      { type: 'response.output_item.done', sequence_number: 2, output_index: 0, item },
      {
        type: 'response.completed',
        sequence_number: 3,
        response: { ...response, status: 'completed', output: [item], usage },
      },
    ]);
  },
};

function itemOf(turn: Turn, id: string): object {
  if ('say' in turn) {
    const content = [{ type: 'output_text', text: turn.say, annotations: [] }];
    return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  }
  if (typeof turn.input === 'string') {
    const call = { call_id: `call_${id}`, name: turn.use, input: turn.input };
    return { id: `ct_${id}`, type: 'custom_tool_call', status: 'completed', ...call };
  }
  // A tool of an MCP server is in a namespace of its own.
  const [name, namespace] = turn.use.split('@');
  const call = { name, ...(namespace === undefined ? {} : { namespace }), arguments: JSON.stringify(turn.input) };
  return { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: `call_${id}`, ...call };
}
