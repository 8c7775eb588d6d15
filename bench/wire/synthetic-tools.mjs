// The same tools as in examples/echo/echo.mjs, which hawser is measured with: lists of other sizes would not compare.

const count = Number(process.env.TOOLS ?? 0);

/** As many as the environment asks for, each with a schema of its own. */
export function syntheticTools(makeSchema) {
  return Array.from({ length: count }, (_, index) => ({
    name: `synthetic_${index}`,
    description: `Synthetic tool number ${index}: looks up a record by its key and answers with the fields asked for.`,
    inputSchema: makeSchema(),
  }));
}

const keyDescription = 'The key of the record';
const fieldsDescription = 'Which fields to answer with';

/** Their input as plain JSON Schema … */
export const syntheticInputSchema = {
  type: 'object',
  properties: {
    key: { type: 'string', description: keyDescription },
    fields: { type: 'array', items: { type: 'string' }, description: fieldsDescription },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
  },
  required: ['key'],
};

/** … and as a zod schema, for the libraries whose guides tell their users to write one. */
export function syntheticZodSchema(z) {
  return z.object({
    key: z.string().describe(keyDescription),
    fields: z.array(z.string()).optional().describe(fieldsDescription),
    limit: z.number().int().min(1).max(100).optional(),
  });
}
