import { hash } from 'node:crypto'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { SUBMIT_SCOPES, type SubmitScope } from '../../domain/access/scope.ts'
import { COMPLETENESS_SCHEMA, completenessOperation } from '../completeness/openapi.ts'
import { readPaths, readSchemas } from '../mirror/openapi.ts'
import { EXAMPLES } from './examples.ts'
import { OrderChange } from './resources/orders.ts'
import { ProductText } from './resources/products.ts'
import type { Resource } from './resources/resource.ts'
import { RESOURCES } from './resources/resources.ts'

type Json = Record<string, unknown>

let written: { body: Buffer; etag: string } | null = null

/** `GET /openapi.json`: made once, since it is large and never changes while the hub runs. */
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

/** The contract of /v1 for programs: OpenAPI 3.1, made of the schemas that requests are checked with. */
function openApi(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tillbridge submissions and reads',
      version: '1',
      description:
        'What own systems (OMS, ERP, PIM …) submit for the platform, and read of it. Submitted JSON is taken all or nothing; NDJSON as it comes, line by line.',
    },
    security: [{ key: [] }],
    paths: {
      ...pathsOf(),
      '/v1/products/{extId}': { patch: patchOperation() },
      '/v1/orders/{orderNo}': { put: changeOperation(), delete: cancelOperation() },
      '/v1/completeness': { get: completenessOperation(problems) },
      '/v1/submissions/{id}': { get: statusOperation() },
    },
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'Made by "tillbridge keys create", which names its scopes.',
        },
      },
      schemas: {
        ...Object.fromEntries(SUBMIT_SCOPES.map((scope) => [nameOf(scope), bodySchema(RESOURCES[scope])])),
        ProductText: schemaOf(ProductText),
        OrderChange: schemaOf(OrderChange),
        ...readSchemas(),
        Completeness: COMPLETENESS_SCHEMA,
        ...ANSWERS,
      },
    },
  }
}

/** Some names can be both submitted and read. */
function pathsOf(): Record<string, Json> {
  const paths: Record<string, Json> = readPaths()
  for (const scope of SUBMIT_SCOPES)
    paths[`/v1/${scope}`] = { ...paths[`/v1/${scope}`], post: submitOperation(RESOURCES[scope]) }
  return paths
}

function submitOperation(resource: Resource): Json {
  const { scope } = resource
  const examples = EXAMPLES[scope]
  const ndjson = examples.lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return {
    operationId: `submit-${scope}`,
    summary: `Submit ${scope}`,
    security: ofScope(scope),
    parameters: [
      KEY,
      query('dryRun', { type: 'boolean' }, 'true: nothing is taken; the answer says what would be, and warns.'),
      query('strict', { type: 'boolean' }, 'true: NDJSON is taken all or nothing too, up to 8 MB.'),
      ...(scope === 'products' ? PRODUCT_PARAMETERS : []),
      ...(scope === 'customers' ? CUSTOMER_PARAMETERS : []),
    ],
    requestBody: {
      required: true,
      description: 'Content-Encoding may be gzip, deflate or br.',
      content: {
        'application/json': { schema: ref(nameOf(scope)), examples: named(examples.bodies) },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'One object a line.', 'x-line-schema': schemaOf(resource.line) },
          example: ndjson,
        },
      },
    },
    responses: {
      202: answer('Taken. Of JSON all, of NDJSON the good lines.', 'Taken'),
      200: {
        description: 'Nothing new was in it: `id` is the first submission. Or a dry run.',
        content: { 'application/json': { schema: { anyOf: [ref('Taken'), ref('DryRun'), ref('CountDryRun')] } } },
      },
      ...problems([400, 401, 403, 409, 413, 415, 422, 429, 503]),
    },
  }
}

function patchOperation(): Json {
  return {
    operationId: 'patch-product',
    summary: 'Submit description and images of a product, and nothing else of it',
    security: ofScope('products'),
    parameters: [KEY, inPath('extId', { type: 'string' })],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: ref('ProductText'),
          example: { description: 'Warm.', images: ['https://img.example.com/1.jpg'] },
        },
      },
    },
    responses: {
      202: answer('Taken.', 'Taken'),
      200: answer('The same was taken before.', 'Taken'),
      ...problems([400, 401, 403, 413, 415, 422, 429, 503]),
    },
  }
}

function changeOperation(): Json {
  const [{ orderNo: _, ...order }] = EXAMPLES.orders.lines as [Json]
  return {
    operationId: 'change-order',
    summary: 'Submit the whole order as it is now, as long as its store has not begun with it',
    security: ofScope('orders'),
    parameters: [KEY, inPath('orderNo', { type: 'string' })],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: ref('OrderChange'), example: order } },
    },
    responses: {
      202: answer('Taken.', 'Taken'),
      200: answer('The same was taken before.', 'Taken'),
      ...problems([400, 401, 403, 404, 409, 413, 415, 422, 429, 503]),
    },
  }
}

function cancelOperation(): Json {
  return {
    operationId: 'cancel-order',
    summary: 'Cancel an order that was submitted, as long as its store has not begun with it',
    security: ofScope('orders'),
    parameters: [KEY, inPath('orderNo', { type: 'string' })],
    responses: {
      202: answer('Taken.', 'Taken'),
      200: answer('It was cancelled before.', 'Taken'),
      ...problems([400, 401, 403, 404, 422, 429, 503]),
    },
  }
}

function statusOperation(): Json {
  return {
    operationId: 'get-submission',
    summary: 'What became of a submission of the own system',
    parameters: [
      inPath('id', { type: 'integer' }),
      query('after', { type: 'integer' }, 'The line after which `failed` goes on.'),
    ],
    responses: { 200: answer('As it stands now.', 'Submission'), ...problems([400, 401, 404, 429, 503]) },
  }
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Names the submission: sent again with the same key, nothing is taken twice. A dry run needs none.',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[ -~]+$' },
}

const CUSTOMER_PARAMETERS = [
  query('directoryOnly', { type: 'boolean' }, "true: for the hub's own customer directory, not for the platform."),
]

const PRODUCT_PARAMETERS = [
  query('mode', { enum: ['upsert', 'insert'] }, 'insert: products that are there already stay as they are.'),
  query('force', { type: 'boolean' }, 'true: sent even if it is what the platform acknowledged last.'),
]

function ofScope(scope: SubmitScope): Json[] {
  return [{ key: [scope] }]
}

function query(name: string, schema: Json, description: string): Json {
  return { name, in: 'query', schema, description }
}

function inPath(name: string, schema: Json): Json {
  return { name, in: 'path', required: true, schema }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Not readable: idempotency-key-missing, idempotency-key-invalid, unreadable, bad-request.',
  401: 'wrong-token: the key is unknown or revoked.',
  403: 'key-may-not: the key lacks the scope. order-of-another: another system submitted the order, and the key lacks orders:any.',
  404: 'not-found. no-such-order: no order of this number was submitted.',
  409: 'conflict: the same was submitted before with other content. confirmation-outdated: something else would become 0 now. order-cancelled: it cannot be changed any more. order-not-kept: what it said is not kept any more.',
  413: 'body-too-large.',
  415: 'unsupported-media-type.',
  422: 'invalid: `faults` lists everything that is wrong. idempotency-key-reused: the key stands for other content.',
  429: 'too-many-wrong-tokens. too-many-reads: of one key only so many are worked on at a time; ask again after Retry-After.',
  503: 'store-unavailable, stores-unknown, platform-unavailable: send it again after Retry-After.',
}

function problems(statuses: readonly number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: TITLES[status], content: { 'application/problem+json': { schema: ref('Problem') } } },
    ]),
  )
}

function answer(description: string, name: string): Json {
  return { description, content: { 'application/json': { schema: ref(name) } } }
}

function bodySchema({ objects }: Resource): Json {
  const each = objects.map(schemaOf)
  const one = each.length === 1 && each[0] ? each[0] : { anyOf: each }
  return { anyOf: [one, { type: 'array', minItems: 1, items: one }] }
}

/** The schema of input; conditions between fields that JSON Schema does not know are in the descriptions. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input' }) as Json
  return json
}

function named(bodies: readonly unknown[]): Json {
  return Object.fromEntries(bodies.map((value, index) => [`example${index + 1}`, { value }]))
}

function nameOf(scope: string): string {
  return scope
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

const count = { type: 'integer', minimum: 0 }

const faults = {
  type: 'array',
  items: {
    type: 'object',
    properties: { line: { type: 'integer', minimum: 1 }, faults: { type: 'array', items: { type: 'string' } } },
    required: ['line', 'faults'],
  },
}

const ANSWERS = {
  Taken: {
    type: 'object',
    properties: {
      id: { type: ['integer', 'null'] },
      status: { enum: ['accepted', 'duplicate'] },
      lines: count,
      accepted: count,
      duplicates: count,
      refused: count,
      faults,
      url: { type: 'string' },
    },
    required: ['id', 'status', 'lines', 'accepted', 'duplicates', 'refused', 'faults', 'url'],
  },
  DryRun: {
    type: 'object',
    properties: {
      dryRun: { const: true },
      lines: count,
      accepted: count,
      refused: count,
      faults,
      warnings: {
        type: 'array',
        items: {
          type: 'object',
          properties: { line: { type: ['integer', 'null'] }, sort: { type: 'string' }, text: { type: 'string' } },
          required: ['line', 'sort', 'text'],
        },
      },
      warningCounts: { type: 'object', additionalProperties: count },
    },
    required: ['dryRun', 'lines', 'accepted', 'refused', 'faults', 'warnings', 'warningCounts'],
  },
  CountDryRun: {
    type: 'object',
    properties: {
      dryRun: { const: true },
      wouldBecomeZero: {
        type: 'array',
        items: {
          type: 'object',
          properties: { gtin: { type: 'string' }, quantity: { type: 'string' } },
          required: ['gtin', 'quantity'],
        },
      },
      count,
      confirmation: { type: 'string' },
    },
    required: ['dryRun', 'wouldBecomeZero', 'count', 'confirmation'],
  },
  Submission: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      resource: { enum: SUBMIT_SCOPES },
      key: { type: 'string' },
      receivedAt: { type: 'string', format: 'date-time' },
      lines: { type: ['integer', 'null'] },
      items: count,
      refused: { type: ['integer', 'null'] },
      faults,
      unrouted: count,
      destinations: { type: 'object', additionalProperties: { type: 'object', additionalProperties: count } },
      done: { type: 'boolean' },
      failed: { type: 'array', items: { type: 'object' } },
    },
    required: ['id', 'resource', 'key', 'receivedAt', 'lines', 'items', 'refused', 'unrouted', 'destinations', 'done'],
  },
  Problem: {
    type: 'object',
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { type: 'string', description: 'Stable: programs may rely on it.' },
      detail: { type: 'string' },
      faults,
    },
    required: ['type', 'title', 'status', 'code'],
  },
}
