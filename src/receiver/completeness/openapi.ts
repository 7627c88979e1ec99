import { READ_COMPLETENESS } from '../../domain/access/scope.ts'
import { LEVELS } from '../../domain/ledger/watermark.ts'

const instant = { type: 'string', format: 'date-time' }
const verdict = {
  enum: ['proven', 'gaps', 'unknown'],
  description: 'proven: nothing is missing. gaps: something is. unknown: nobody has looked, or not lately.',
}

/** The answer to "is everything here?", as JSON Schema. */
export const COMPLETENESS_SCHEMA = {
  type: 'object',
  properties: {
    verdict,
    watermarks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          level: {
            enum: [...LEVELS],
            description: 'What it rests on: event log, facts that are pulled, till counters.',
          },
          kind: { type: 'string' },
          store: { type: ['string', 'null'], description: 'Its number; null: every store without a line of its own.' },
          from: instant,
          until: instant,
          verdict,
          gaps: { type: 'integer', minimum: 0 },
          neverSwept: { type: 'boolean', description: 'Nobody has looked through it yet: from and until say nothing.' },
        },
        required: ['level', 'kind', 'store', 'from', 'until', 'verdict', 'gaps', 'neverSwept'],
      },
    },
  },
  required: ['verdict', 'watermarks'],
}

/** The operation, as OpenAPI. `problems`: of these statuses. */
export function completenessOperation(problems: (statuses: readonly number[]) => Record<string, unknown>) {
  return {
    operationId: 'read-completeness',
    summary: 'Whether everything has come, so that a day may be closed',
    security: [{ key: [READ_COMPLETENESS] }],
    parameters: [
      { name: 'until', in: 'query', schema: instant, description: 'Until then; otherwise until lately.' },
      { name: 'store', in: 'query', schema: { type: 'string' }, description: 'In the store with this number.' },
    ],
    responses: {
      200: {
        description: 'As far as it is known now.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Completeness' } } },
      },
      ...problems([400, 401, 403, 429, 503]),
    },
  }
}
