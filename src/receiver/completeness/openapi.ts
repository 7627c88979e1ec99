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
    unresolved: {
      type: 'array',
      description:
        'Events in conflict or in quarantine that nobody has dismissed: while there are any, nothing is proven.',
      items: {
        type: 'object',
        properties: {
          kind: { type: 'string' },
          state: { enum: ['conflict', 'quarantined'] },
          count: { type: 'integer', minimum: 0 },
          events: { type: 'array', items: { type: 'integer' }, description: 'The ids of the newest ones.' },
          more: { type: 'boolean', description: 'There may be more.' },
        },
        required: ['kind', 'state', 'count', 'events', 'more'],
      },
    },
    notWatched: {
      type: 'array',
      description: 'Kinds of the platform of which nothing tells: the verdict says nothing of them.',
      items: {
        type: 'object',
        properties: {
          kind: { type: 'string' },
          wanted: { type: 'boolean', description: 'Config subscribes to it: then nothing is proven.' },
        },
        required: ['kind', 'wanted'],
      },
    },
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
  required: ['verdict', 'watermarks', 'unresolved', 'notWatched'],
}

/** The operation, as OpenAPI. `problems`: of these statuses. */
export function completenessOperation(problems: (statuses: readonly number[]) => Record<string, unknown>) {
  return {
    operationId: 'read-completeness',
    summary: 'Whether everything has come, so that a day may be closed',
    security: [{ key: [READ_COMPLETENESS] }],
    parameters: [
      { name: 'until', in: 'query', schema: instant, description: 'Until then; otherwise until lately.' },
      {
        name: 'day',
        in: 'query',
        schema: { type: 'string', format: 'date' },
        description: 'From the beginning of that day to its end, by the clocks of the stores; in place of until.',
      },
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
