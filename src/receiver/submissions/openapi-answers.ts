import { SUBMIT_SCOPES } from '../../domain/access/scope.ts'

const count = { type: 'integer', minimum: 0 }

const faults = {
  type: 'array',
  items: {
    type: 'object',
    properties: { line: { type: 'integer', minimum: 1 }, faults: { type: 'array', items: { type: 'string' } } },
    required: ['line', 'faults'],
  },
}

/** The answers of /v1, as JSON Schema. */
export const ANSWERS = {
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
