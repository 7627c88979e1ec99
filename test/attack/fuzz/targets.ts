import { createHmac } from 'node:crypto'
import type { Dice } from './dice.ts'
import type { Known } from './known.ts'

/** Where a request goes, with what. */
export interface Target {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  /** It is a webhook with the right token: what is answered 2xx is in the store, as it was sent. */
  isWebhook: boolean
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] as const

const KINDS = [
  'SaleCreated',
  'POSSettlementCreated',
  'OmniChannelSendReceiptCreated',
  'OmniChannelOrderUpdated',
  'StockMovementCreated',
  'OrderSubmitted',
  'NobodyKnows',
  '__proto__',
  '%F0%9F%92%A9',
  '%00',
  '%ff',
  'a'.repeat(300),
] as const

const RESOURCES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'goods-deliveries',
  'sales',
  'orders',
  'customers',
  'stores',
  'stock',
  'submissions/1',
  'orders/1',
  'products/1',
  'constructor',
] as const

const ADMIN = [
  'status',
  'events',
  'events/1',
  'deliveries?state=dead',
  'deliveries/retry',
  'deliveries/skip',
  'keys',
  'jobs',
  'orders/1',
  'late',
  'stock/differences',
  'events/-1',
  'nothing',
] as const

/** Anywhere that a hub has something, with right and wrong credentials. */
export function targetOf(dice: Dice, known: Known): Target {
  const body = bodyOf(dice)
  const plain = { body, isWebhook: false }
  const token = (right: string) => dice.pick([right, right, right, 'wrong', '', `${right}x`])
  switch (dice.upTo(10)) {
    case 0:
      return { ...plain, method: 'POST', path: '/intake/shop', headers: intakeHeaders(dice, known, body) }
    case 1:
      return {
        ...plain,
        method: dice.pick(METHODS),
        path: `/v1/${dice.pick(RESOURCES)}`,
        headers: keyHeaders(dice, token(known.apiKey)),
      }
    case 2:
      return {
        ...plain,
        method: dice.pick(['GET', 'POST']),
        path: `/admin/${dice.pick(ADMIN)}`,
        headers: bearer(token(known.adminToken)),
      }
    case 3: {
      const query = encodeURIComponent(dice.bytes(dice.upTo(20)).toString('latin1'))
      const asked = dice.pick(['customers', 'orders'])
      return {
        ...plain,
        method: 'GET',
        path: `/api/${asked}/search?query=${query}`,
        headers: bearer(token(known.posToken)),
        body: Buffer.alloc(0),
      }
    }
    case 4:
      return { ...plain, method: dice.pick(METHODS), path: oddPath(dice), headers: {} }
    default: {
      const given = token(known.webhookToken)
      const isWebhook = given === known.webhookToken
      return {
        body,
        isWebhook,
        method: 'POST',
        path: `/webhooks/${dice.pick(KINDS)}?token=${given}`,
        headers: webhookHeaders(dice),
      }
    }
  }
}

function webhookHeaders(dice: Dice): Record<string, string> {
  return {
    'content-type': dice.pick(['application/json', 'application/json; charset=utf-8', 'text/plain', '']),
    ...(dice.oneIn(2) && { 'x-event-id': dice.bytes(8).toString('hex') }),
    ...(dice.oneIn(4) && { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' }),
  }
}

function intakeHeaders(dice: Dice, { intakeSecret }: Known, body: Buffer): Record<string, string> {
  const signature = createHmac('sha256', dice.oneIn(2) ? intakeSecret : 'wrong')
    .update(body)
    .digest('base64')
  const topic = dice.pick(['order.created', 'order.deleted', 'customer.updated', 'nothing', '__proto__'])
  return { 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': topic }
}

function keyHeaders(dice: Dice, key: string): Record<string, string> {
  return {
    ...bearer(key),
    'content-type': dice.pick(['application/json', 'application/x-ndjson', 'text/csv', '']),
    'idempotency-key': dice.pick(['a', dice.bytes(6).toString('hex'), 'x'.repeat(2_000), '']),
  }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

function oddPath(dice: Dice): string {
  return dice.pick([
    '/',
    '//',
    '/%',
    '/..%2f..',
    '/webhooks',
    '/webhooks/',
    '/health/ready',
    '/health/live',
    '/openapi.json',
    '/intake/',
    '/admin',
    '/?token=',
    `/${'a/'.repeat(200)}`,
    '/%E0%A4%A',
    '/\\',
    '/webhooks/a/b/c',
  ])
}

/** JSON, or rubbish that looks like it. Each differs from all others: a copy would be taken for the first. */
function bodyOf(dice: Dice): Buffer {
  const nonce = dice.bytes(8).toString('hex')
  const values = ['null', '0', '-1e999', '"\\ud800"', '[]', '{}', 'true', `"${'x'.repeat(dice.upTo(2_000))}"`] as const
  const value = () => dice.pick(values)
  const nested = () => `${'['.repeat(dice.upTo(200))}${'{"a":'.repeat(dice.upTo(50))}1`
  switch (dice.upTo(8)) {
    case 0:
      return dice.bytes(20 + dice.upTo(500))
    case 1:
      return Buffer.from(`{"nonce":"${nonce}",${nested()}`)
    case 2:
      return Buffer.from(`{"__proto__":{"a":1},"constructor":${value()},"nonce":"${nonce}"}`)
    case 3:
      return Buffer.from(
        `{"settlementId":"${nonce}","storeNo":${value()},"paymentTypes":${value()},"grandTotal":${value()}}`,
      )
    case 4:
      return Buffer.from(
        `{"order":{"orderNo":"${nonce}","status":${value()},"orderLines":${value()}},"items":${value()}}`,
      )
    case 5:
      return Buffer.from(`[{"nonce":"${nonce}"},${value()},${value()}]\n{"orderNo":${value()}}\n`)
    default:
      return Buffer.from(
        `{"receiptNo":"${nonce}","createdDateTime":"2026-11-20T14:03:27","store":{"posId":1,"storeExtId":${value()}},"orderLines":${value()},"total":${value()}}`,
      )
  }
}
