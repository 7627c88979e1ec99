import { hash } from 'node:crypto'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { READ_COMPLETENESS, readScope, type Scope, SUBMIT_SCOPES, type SubmitScope } from '../../domain/scope.ts'
import type { Parameter } from '../query.ts'
import { COMPLETENESS_PARAMETERS, CompletenessAnswer } from '../read-models/completeness.ts'
import { MEDIA_TYPES, readParameters } from '../read-models/read-models.ts'
import { schemaOf as itemSchema, READ_SETS, type ReadSet } from '../read-models/sets.ts'
import { STATUS_PARAMETERS, submitParameters } from './asked.ts'
import type { Resource } from './reading.ts'
import { ProductText } from './resources/catalogue.ts'
import { OrderChange } from './resources/trade.ts'
import { RESOURCES } from './resources.ts'

type Json = Record<string, unknown>

let written: { body: Buffer; etag: string } | null = null

/** Made once: it is large and constant. */
export const answerOpenApi: RequestHandler = (request, response) => {
  written ??= write()
  const { body, etag } = written
  response.set({ 'Content-Type': 'application/json; charset=utf-8', ETag: etag, 'Cache-Control': 'private, no-cache' })
  if (request.get('if-none-match')?.includes(etag)) response.status(304).end()
  else response.end(body)
}

function write() {
  const body = Buffer.from(JSON.stringify(openApi()))
  return { body, etag: `"${hash('sha256', body).slice(0, 32)}"` }
}

function openApi(): Json {
  const bearer = 'Made by "tillbridge keys create", which names its scopes.'
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tillbridge submissions and reads',
      version: '1',
      description:
        'What own systems (OMS, ERP, PIM …) submit for the platform, and read of it. Submitted JSON is taken all or nothing; NDJSON as it comes, line by line.',
    },
    security: [{ key: [] }],
    paths: paths(),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: bearer } },
      schemas: {
        ...Object.fromEntries(SUBMIT_SCOPES.map((scope) => [scopeNameOf(scope), bodySchema(RESOURCES[scope])])),
        ProductText: schemaOf(ProductText),
        OrderChange: schemaOf(OrderChange),
        ...Object.fromEntries(READ_SETS.map((set) => [itemName(set), itemSchema(set.fields)])),
        Completeness: schemaOf(CompletenessAnswer),
        ...ANSWERS,
      },
    },
  }
}

function paths(): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const set of READ_SETS) paths[`/v1/${set.name}`] = { get: readOperation(set) }
  for (const scope of SUBMIT_SCOPES) paths[`/v1/${scope}`] = { ...paths[`/v1/${scope}`], post: submitOperation(scope) }
  const { orderNo: _, ...order } = RESOURCES.orders.examples.at(-1) as Json
  const text = { description: 'Warm.', images: ['https://img.example.com/1.jpg'] }
  const extId = inPath('extId', 'string')
  const orderNo = inPath('orderNo', 'string')
  return {
    ...paths,
    '/v1/products/{extId}': {
      patch: operation('patch-product', 'Submit description and images of a product, and nothing else of it', {
        scope: 'products',
        parameters: [KEY, extId],
        requestBody: bodyOf('ProductText', text),
        answers: taken('The same was taken before.'),
        problems: [413, 415, 422],
      }),
    },
    '/v1/orders/{orderNo}': {
      put: operation(
        'change-order',
        'Submit the whole order as it is now, as long as its store has not begun with it',
        {
          scope: 'orders',
          parameters: [KEY, orderNo],
          requestBody: bodyOf('OrderChange', order),
          answers: taken('The same was taken before.'),
          problems: [404, 409, 413, 415, 422],
        },
      ),
      delete: operation(
        'cancel-order',
        'Cancel an order that was submitted, as long as its store has not begun with it',
        {
          scope: 'orders',
          parameters: [KEY, orderNo],
          answers: taken('It was cancelled before.'),
          problems: [404, 409, 422],
        },
      ),
    },
    '/v1/completeness': {
      get: operation('read-completeness', 'Whether everything has come, so that a day may be closed', {
        scope: READ_COMPLETENESS,
        parameters: inQuery(COMPLETENESS_PARAMETERS),
        answers: { 200: answer('As far as it is known now.', ref('Completeness')) },
      }),
    },
    '/v1/submissions/{id}': {
      get: operation('get-submission', 'What became of a submission of the own system', {
        parameters: [inPath('id', 'integer'), ...inQuery(STATUS_PARAMETERS)],
        answers: { 200: answer('As it stands now.', ref('Submission')) },
        problems: [404],
      }),
    },
  }
}

interface Sketch {
  scope?: Scope
  parameters: Json[]
  requestBody?: Json
  answers: Json
  problems?: readonly number[]
}

function operation(
  operationId: string,
  summary: string,
  { scope, parameters, requestBody, answers, problems = [] }: Sketch,
): Json {
  return {
    ...{ operationId, summary, ...(scope && { security: [{ key: [scope] }] }), parameters },
    ...(requestBody && { requestBody }),
    responses: {
      ...answers,
      ...Object.fromEntries([400, 401, 403, 429, 503, ...problems].map((status) => [status, problem(status)])),
    },
  }
}

function submitOperation(scope: SubmitScope): Json {
  const { line, examples } = RESOURCES[scope]
  const named = examples.map((value, index) => [`example${index + 1}`, { value }])
  return operation(`submit-${scope}`, `Submit ${scope}`, {
    scope,
    parameters: [KEY, ...inQuery(submitParameters(scope))],
    requestBody: {
      required: true,
      description: 'Content-Encoding may be gzip, deflate or br.',
      content: {
        'application/json': { schema: ref(scopeNameOf(scope)), examples: Object.fromEntries(named) },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'One object a line.', 'x-line-schema': schemaOf(line) },
          example: `${JSON.stringify(examples.at(-1))}\n`,
        },
      },
    },
    answers: {
      202: answer('Taken. Of JSON all, of NDJSON the good lines.', ref('Taken')),
      200: answer('Nothing new was in it: `id` is the first submission. Or a dry run.', {
        anyOf: [ref('Taken'), ref('DryRun'), ref('CountDryRun')],
      }),
    },
    problems: [409, 413, 415, 422],
  })
}

function readOperation(set: ReadSet): Json {
  const item = ref(itemName(set))
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
  const content = {
    'application/json': { schema: page },
    [MEDIA_TYPES.ndjson]: { schema: { type: 'string', description: lines, 'x-line-schema': item } },
    [MEDIA_TYPES.csv]: { schema: { type: 'string', description: rows } },
  }
  return operation(`read-${set.name}`, set.about, {
    scope: readScope(set.name),
    parameters: inQuery(readParameters(set)),
    answers: { 200: { description: 'A page of items, or all of them as a stream.', content } },
    ...(set.kept !== 'always' && { problems: [404] }),
  })
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Names the submission: sent again with the same key, nothing is taken twice. A dry run needs none.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[ -~]+$' },
}

function inQuery(parameters: object): Json[] {
  return Object.entries(parameters as Record<string, Parameter>).map(([name, { about, schema }]) => {
    return { name, in: 'query', schema, description: about }
  })
}

function inPath(name: string, type: string): Json {
  return { name, in: 'path', required: true, schema: { type } }
}

function bodyOf(name: string, example: Json): Json {
  return { required: true, content: { 'application/json': { schema: ref(name), example } } }
}

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'Not readable: idempotency-key-missing, idempotency-key-invalid, unreadable, bad-request.',
  401: 'wrong-token: the key is unknown or revoked.',
  403: 'key-may-not: the key lacks the scope. order-of-another: another system submitted the order, and the key lacks orders:any.',
  404: 'not-found. no-such-order: no order of this number was submitted. not-mirrored: the config does not have it kept.',
  409: 'conflict: the same was submitted before with other content. confirmation-stale: something else would become 0 now. order-cancelled: it cannot be changed any more. order-not-kept: what it said is not kept any more.',
  413: 'body-too-large.',
  415: 'unsupported-media-type.',
  422: 'invalid: `faults` lists everything that is wrong. idempotency-key-reused: the key stands for other content.',
  429: 'too-many-wrong-tokens. too-many-reads: of one key only so many are worked on at a time; ask again after Retry-After.',
  503: 'store-unavailable, stores-unknown, platform-unavailable: send it again after Retry-After.',
}

function problem(status: number): Json {
  return { description: PROBLEMS[status], content: { 'application/problem+json': { schema: ref('Problem') } } }
}

function taken(again: string): Json {
  return { 202: answer('Taken.', ref('Taken')), 200: answer(again, ref('Taken')) }
}

function answer(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } }
}

function bodySchema({ objects }: Resource): Json {
  const each = objects.map(schemaOf)
  const one = each.length === 1 && each[0] ? each[0] : { anyOf: each }
  return { anyOf: [one, { type: 'array', minItems: 1, items: one }] }
}

/** Of input; rules between fields are in descriptions. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input' }) as Json
  return json
}

function scopeNameOf(scope: string): string {
  const words = scope.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return words.join('')
}

function itemName({ name }: ReadSet): string {
  return `${scopeNameOf(name)}Item`
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

const count = z.int().min(0)
const faults = z.array(z.object({ line: z.int().min(1), faults: z.array(z.string()) }))
const json = (shape: z.ZodRawShape) => schemaOf(z.object(shape))

const ANSWERS = {
  Taken: json({
    ...{ id: z.int().nullable(), status: z.enum(['accepted', 'duplicate']), lines: count, accepted: count },
    ...{ duplicates: count, refused: count, faults, url: z.string() },
  }),
  DryRun: json({
    ...{ dryRun: z.literal(true), lines: count, accepted: count, refused: count, faults },
    warnings: z.array(z.object({ line: z.int().nullable(), sort: z.string(), text: z.string() })),
    warningCounts: z.record(z.string(), count),
  }),
  CountDryRun: json({
    dryRun: z.literal(true),
    wouldBecomeZero: z.array(z.object({ gtin: z.string(), quantity: z.string() })),
    ...{ count, confirmation: z.string() },
  }),
  Submission: json({
    ...{ id: z.int(), resource: z.enum(SUBMIT_SCOPES), key: z.string(), receivedAt: z.iso.datetime() },
    ...{ lines: z.int().nullable(), items: count, refused: z.int().nullable(), faults: faults.optional() },
    ...{ unrouted: count, destinations: z.record(z.string(), z.record(z.string(), count)), done: z.boolean() },
    failed: z.array(z.looseObject({})).optional(),
  }),
  Problem: json({
    ...{ type: z.string(), title: z.string(), status: z.int() },
    code: z.string().describe('Stable: programs may rely on it.'),
    ...{ detail: z.string().optional(), faults: faults.optional() },
  }),
}
