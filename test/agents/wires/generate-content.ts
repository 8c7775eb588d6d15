import { eventStream, isNonEmptyList, json, type ModelWire } from '../turn.ts';

/** Google's generateContent, streamed by the method of that name. */
export const generateContent: ModelWire = {
  accepts: (path) => /:(generateContent|streamGenerateContent)$/.test(path),
  offersTools: ({ tools }) => isNonEmptyList(tools),
  answer(turn, _body, { path, id }) {
    const part = 'say' in turn ? { text: turn.say } : { functionCall: { id, name: turn.use, args: turn.input } };
    const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const response = { candidates: [candidate], usageMetadata, responseId: id };
    return path.endsWith(':streamGenerateContent') ? eventStream([response]) : json(response);
  },
};
