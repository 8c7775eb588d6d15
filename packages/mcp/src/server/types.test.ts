import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { makeServer } from '../../testing/server-session.ts';
import { defineNotification, defineRequest } from '../protocol/definition.ts';
import type { JsonSchema } from '../protocol/schema/validate.ts';
import type { CallToolResult } from '../protocol/types.ts';
import type { Authorize } from '../transports/authorization.ts';
import type { Elicit } from './asking.ts';

// The compiler checks these with `npm run check`; running them shows that what compiles also registers.

describe('the arguments of a tool have the type of', () => {
  it('a JSON Schema that is written in place', () => {
    makeServer().tool(
      {
        name: 'search',
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string' },
            limit: { type: 'integer' },
            sort: { enum: ['name', 'date'] },
            kind: { const: 'file' },
            tags: { type: 'array', items: { type: 'string' } },
            range: { type: 'object', properties: { from: { type: 'number' } }, required: ['from'] },
            either: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
            maybe: { type: ['string', 'null'] },
            map: { type: 'object', additionalProperties: { type: 'number' } },
            anything: {},
          },
          required: ['query', 'range'],
        },
      },
      (args, context) => {
        expectTypeOf(args).toEqualTypeOf<{
          query: string;
          range: { from: number };
          limit?: number;
          sort?: 'name' | 'date';
          kind?: 'file';
          tags?: string[];
          either?: string | boolean;
          maybe?: string | null;
          map?: { [name: string]: number };
          anything?: unknown;
        }>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        // @ts-expect-error there is no such argument
        return args.missing;
      },
    );
  });

  it('a Standard Schema, after its transformations', () => {
    const inputSchema = z.object({ n: z.number(), who: z.string().default('you') });
    makeServer().tool({ name: 'zod', inputSchema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ n: number; who: string }>();
      return '';
    });
  });

  it('any object, when the schema is absent or its literals are not known', () => {
    const server = makeServer();
    server.tool({ name: 'none' }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ [name: string]: unknown }>();
      return '';
    });
    const inputSchema: JsonSchema = { type: 'object' };
    server.tool({ name: 'wide', inputSchema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ [name: string]: unknown }>();
      return '';
    });
  });

  it('the type that is given', () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    makeServer().tool<{ n: number }>({ name: 'given', inputSchema }, ({ n }) => {
      expectTypeOf(n).toEqualTypeOf<number>();
      return String(n);
    });
  });
});

describe('structuredContent has the type of outputSchema', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

  it('from a JSON Schema or a Standard Schema', () => {
    const server = makeServer();
    server.tool({ name: 'json', outputSchema }, () => ({ structuredContent: { n: 1 } }));
    server.tool({ name: 'zod', outputSchema: z.object({ n: z.number() }) }, async () => ({
      structuredContent: { n: 1 },
    }));
    server.tool({ name: 'fails', outputSchema }, () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }));
    // @ts-expect-error n must be a number
    server.tool({ name: 'wrong', outputSchema }, () => ({ structuredContent: { n: 'one' } }));
    // @ts-expect-error a text is not structured
    server.tool({ name: 'text', outputSchema }, () => 'text');
    // @ts-expect-error nothing is not structured
    server.tool({ name: 'nothing', outputSchema }, () => undefined);
    server.tool({ name: 'task', outputSchema }, (_args, { task }) => task(() => ({ structuredContent: { n: 1 } })));
  });

  it('and both schemas are inferred together', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
    makeServer().tool({ name: 'both', inputSchema, outputSchema }, ({ a }) => ({ structuredContent: { n: a } }));
  });

  it('a tool without one returns texts, content or nothing', () => {
    const server = makeServer();
    server.tool({ name: 'text' }, () => 'text');
    server.tool({ name: 'nothing' }, () => undefined);
    server.tool({ name: 'late' }, () => new Promise((resolve) => resolve('late')));
    server.tool({ name: 'content' }, () => ({ content: [{ type: 'text', text: '' }] }));
    // @ts-expect-error a number is not a result
    server.tool({ name: 'number' }, () => 5);
    expectTypeOf<CallToolResult['structuredContent']>().toEqualTypeOf<unknown>();
  });
});

describe('the arguments of a prompt have the types of their declaration', () => {
  it('required ones are there, the others may be absent', () => {
    const server = makeServer();
    server.prompt(
      {
        name: 'review',
        arguments: [
          { name: 'code', required: true },
          { name: 'language', complete: (value) => [value.toUpperCase()] },
          { name: 'style', required: false },
        ],
      },
      (args) => {
        expectTypeOf(args.code).toEqualTypeOf<string>();
        expectTypeOf(args.language).toEqualTypeOf<string | undefined>();
        expectTypeOf(args.style).toEqualTypeOf<string | undefined>();
        // @ts-expect-error there is no such argument
        return args.missing ?? '';
      },
    );
    server.prompt({ name: 'plain' }, () => 'text');
  });
});

describe('the variables of a resource template have their names', () => {
  it('those of {name} are there, those of optional expressions may be absent', () => {
    const server = makeServer();
    server.resourceTemplate(
      {
        uriTemplate: 'db://{table}/{+path}{?limit,offset*}{/rest:3}',
        name: 'rows',
        complete: { table: () => ['users'] },
      },
      (variables) => {
        expectTypeOf(variables).toEqualTypeOf<{
          readonly table: string;
          readonly path: string;
          readonly limit?: string;
          readonly offset?: string;
          readonly rest?: string;
        }>();
        // @ts-expect-error there is no such variable
        return variables.missing;
      },
    );
    server.resourceTemplate({ uriTemplate: 'x://{a,b}', name: 'two' }, ({ a, b }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      expectTypeOf(b).toEqualTypeOf<string | undefined>();
      return a;
    });
    const uriTemplate: string = 'y://{n}';
    server.resourceTemplate({ uriTemplate, name: 'wide' }, ({ n }) => n);
  });
});

describe('the response to a form has the type of its schema', () => {
  it('from a JSON Schema or a Standard Schema', () => {
    const ask = async (elicit: Elicit) => {
      const schema = z.object({ name: z.string(), age: z.number().optional() });
      const response = await elicit({ message: 'Who?', requestedSchema: schema });
      if (response.action === 'accept')
        expectTypeOf(response.content).toEqualTypeOf<{ name: string; age?: number | undefined }>();
      else expectTypeOf(response.content).toEqualTypeOf<undefined>();
      const other = await elicit({
        message: 'Which?',
        requestedSchema: { type: 'object', properties: { color: { enum: ['red', 'blue'] } }, required: ['color'] },
      });
      if (other.action === 'accept') expectTypeOf(other.content).toEqualTypeOf<{ color: 'red' | 'blue' }>();
      const opened = await elicit({ mode: 'url', message: 'Sign in', url: 'https://example.org', elicitationId: '1' });
      expectTypeOf(opened.action).toEqualTypeOf<'accept' | 'decline' | 'cancel'>();
    };
    expectTypeOf(ask).toBeFunction();
  });
});

describe('what authorize and middleware get', () => {
  it('headers that are sent once are texts', () => {
    const users = new Map([['secret', { id: 'ada' }]]);
    const authorize: Authorize = ({ headers }) => {
      expectTypeOf(headers.authorization).toEqualTypeOf<string | undefined>();
      expectTypeOf(headers['x-forwarded-for']).toEqualTypeOf<string | readonly string[] | undefined>();
      return users.get(headers.authorization?.replace('Bearer ', '') ?? '');
    };
    expectTypeOf(authorize).toBeFunction();
  });

  it('params have members', () => {
    makeServer().use(({ method, params, principal }, next) => {
      expectTypeOf(params?.name).toBeUnknown();
      expectTypeOf(principal?.scopes).toEqualTypeOf<readonly string[] | undefined>();
      return method === 'tools/call' ? next({ ...params, name: 'other' }) : next();
    });
  });
});

describe('the params of a custom message have the type of', () => {
  it('a JSON Schema that is written in place', () => {
    const order = defineRequest('shop/order', {
      type: 'object',
      properties: { fruit: { enum: ['apple', 'pear'] }, count: { type: 'integer' } },
      required: ['fruit'],
    });
    makeServer().onRequest(order, ({ fruit, count }) => {
      expectTypeOf(fruit).toEqualTypeOf<'apple' | 'pear'>();
      expectTypeOf(count).toEqualTypeOf<number | undefined>();
    });
    const opened = defineNotification('shop/opened', { type: 'object', properties: { at: { type: 'string' } } });
    makeServer().onNotification(opened, ({ at }) => expectTypeOf(at).toEqualTypeOf<string | undefined>());
  });

  it('a Standard Schema, or of what is stated', () => {
    makeServer().onRequest(defineRequest('shop/order', z.object({ fruit: z.string() })), ({ fruit }) =>
      expectTypeOf(fruit).toEqualTypeOf<string>(),
    );
    const stated = defineRequest<{ fruit: string }, { total: number }>('shop/count', { type: 'object' });
    makeServer().onRequest(stated, ({ fruit }) => ({ total: fruit.length }));
    // @ts-expect-error the total is a number
    makeServer().onRequest(stated, ({ fruit }) => ({ total: fruit }));
    makeServer().onNotification(defineNotification<{ at: Date }>('shop/opened', { type: 'object' }), ({ at }) =>
      expectTypeOf(at).toEqualTypeOf<Date>(),
    );
  });
});
