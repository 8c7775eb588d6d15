import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { referencePage, schemaJson } from '../testing/generate.ts';
import { messages } from './messages.ts';
import { decision, proposal } from './shapes.ts';

describe('the messages', () => {
  it('have the JSON Schema that is published', async () => {
    await expect(schemaJson()).toMatchFileSnapshot('../schema.json');
  });

  it('are described in the documentation', async () => {
    await expect(referencePage()).toMatchFileSnapshot('../../../docs/editor-protocol-messages.md');
  });

  it('have schemas that a validator takes, and that refuse what the reader refuses', () => {
    const { $defs, messages: all } = JSON.parse(schemaJson());
    const ajv = new Ajv2020({ strict: false });
    for (const [method, { params, result }] of Object.entries<Record<string, object>>(all)) {
      for (const schema of [params, result]) {
        if (schema !== undefined) expect(() => ajv.compile({ ...schema, $defs }), method).not.toThrow();
      }
    }
    const decide = ajv.compile({ ...all['proposal/decide'].params, $defs });
    const read = (value: unknown) => messages['proposal/decide'].params.read(value, 'params');
    const good = { id: 'a', revision: 0, decision: { kind: 'accepted', hunks: [0, 2], notes: null } };
    expect(decide(good)).toBe(true);
    expect(read(good)).toEqual({ id: 'a', revision: 0, decision: { kind: 'accepted', hunks: [0, 2] } });
    for (const bad of [
      { ...good, id: 1 },
      { ...good, revision: -1 },
      { ...good, decision: { kind: 'maybe' } },
      { ...good, decision: { kind: 'accepted', hunks: ['0'] } },
    ]) {
      expect(decide(bad)).toBe(false);
      expect(() => read(bad)).toThrow(/^params\./);
    }
  });
});

describe('a reader', () => {
  it('takes null for an absent member, and empty values for empty lists and objects', () => {
    const { params } = messages['editor/didChangeDocuments'];
    expect(params.read({ documents: {} }, 'params')).toEqual({ documents: [] });
    expect(params.read({ documents: null }, 'params')).toEqual({ documents: [] });
    expect(messages['editor/didChangeSelection'].params.read([], 'params')).toEqual({});
    expect(messages['editor/didChangeSelection'].params.read({ uri: null }, 'params')).toEqual({});
  });

  it('leaves out members that are not known, inherited ones too', () => {
    const value = JSON.parse('{"kind":"rejected","more":1,"__proto__":{"notes":1}}');
    expect(decision.read(value, 'decision')).toEqual({ kind: 'rejected' });
    expect(() => decision.read({ kind: 'toString' }, 'decision')).toThrow(
      'decision.kind is one of accepted, rejected, changesRequested, not "toString"',
    );
  });

  it('names the place and what belongs there', () => {
    expect(() => proposal.read({ id: 'a' }, 'proposal')).toThrow('proposal.revision is missing: a whole number from 0');
    expect(() => messages['editor/didChangeDocuments'].params.read({ documents: [{ uri: 1 }] }, 'params')).toThrow(
      'params.documents[0].uri is a string, not 1',
    );
    expect(() => messages['editor/pause'].params.read({ paused: 1 }, 'params')).toThrow(
      'params.paused is a boolean, not 1',
    );
  });
});
