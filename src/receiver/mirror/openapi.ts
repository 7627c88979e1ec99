import { readScope } from '../../domain/access/scope.ts'
import { schemaOf } from './fields.ts'
import { MEDIA_TYPES, PARAMETERS, type ParameterName, parametersOf } from './query.ts'
import { holdsPersonal, READ_SETS, type ReadSet } from './sets.ts'

type Json = Record<string, unknown>

/** The reads, by their paths. */
export function readPaths(): Record<string, { get: Json }> {
  return Object.fromEntries(READ_SETS.map((set) => [`/v1/${set.name}`, { get: operationOf(set) }]))
}

/** The items, by the names of their schemas. */
export function readSchemas(): Record<string, Json> {
  return Object.fromEntries(READ_SETS.map((set) => [schemaName(set), schemaOf(set.fields)]))
}

function operationOf(set: ReadSet): Json {
  const item = { $ref: `#/components/schemas/${schemaName(set)}` }
  const page = {
    type: 'object',
    properties: {
      items: { type: 'array', items: item },
      next: { type: ['string', 'null'], description: 'The cursor of the next page; null: this is the last one.' },
    },
    required: ['items', 'next'],
  }
  const lines = 'All items, one a line; the last line is {"end": true, "count": n}.'
  const rows = 'All items as CSV, with a header: a row an item without its lists, or with rows=lines a row a line.'
  return {
    operationId: `read-${set.name}`,
    summary: set.about,
    security: [{ key: [readScope(set.name)] }],
    parameters: parametersOf(set).map(parameterOf),
    responses: {
      200: {
        description: 'A page of items, or all of them as a stream.',
        content: {
          'application/json': { schema: page },
          [MEDIA_TYPES.ndjson]: { schema: { type: 'string', description: lines, 'x-line-schema': item } },
          [MEDIA_TYPES.csv]: { schema: { type: 'string', description: rows } },
        },
      },
      400: problem('bad-request: each parameter that is wrong.'),
      401: problem('wrong-token: the key is unknown or revoked.'),
      403: problem(mayNot(set)),
      ...(set.kept !== 'always' && { 404: problem('not-mirrored: the config does not have it kept.') }),
      429: problem('too-many-wrong-tokens.'),
      503: problem('store-unavailable: ask again after Retry-After.'),
    },
  }
}

function parameterOf(name: ParameterName): Json {
  const { about, schema } = PARAMETERS[name]
  return { name, in: 'query', schema, description: about }
}

function mayNot(set: ReadSet): string {
  const personal = holdsPersonal(set) ? ' Personal data take customers besides.' : ''
  return `key-may-not: the key lacks the scope ${readScope(set.name)} (or read:*).${personal}`
}

function problem(description: string): Json {
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }
}

/** `SalesLinesItem`. */
function schemaName({ name }: ReadSet): string {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Item`
}
