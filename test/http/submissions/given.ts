import { randomUUID } from 'node:crypto'
import { fetch } from 'undici'
import { afterAll, beforeAll, expect } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { SUBMIT_SCOPES } from '../../../src/domain/scope.ts'
import { eventually } from '../../eventually.ts'
import { type Answer, type Given, startTestHub, type TestHub } from '../../hub.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'

export { KEYS }

const ALL = SUBMIT_SCOPES.join(',')

/** What /v1 answers, of all its answers together. */
interface Said {
  id: number
  status: string | number
  code: string
  detail: string
  lines: number
  accepted: number
  duplicates: number
  refused: number
  faults: { line: number; faults: string[] }[]
  url: string
  submission: number
  wouldBecomeZero: { gtin: string; quantity: string }[]
  count: number
  confirmation: string
  warnings: { line: number | null; sort: string; text: string }[]
  warningCounts: Record<string, number>
}

interface SubmitOptions {
  /** The Idempotency-Key; without it a new one, with null none. */
  key?: string | null
  as?: string
  headers?: Record<string, string>
  method?: string
}

/** A hub that knows the stores of a platform, and an own system that may submit everything. */
export interface Counter extends AsyncDisposable {
  hub: TestHub
  platform: SandboxPlatform
  keyOf(system: string, may?: string): Promise<{ key: string; id: string }>
  /** Objects and lists go as JSON, a list of lines as NDJSON, text and bytes as they are. */
  submit(path: string, body: unknown, options?: SubmitOptions): Promise<Answer<Said>>
  lines(path: string, lines: readonly unknown[], options?: SubmitOptions): Promise<Answer<Said>>
  get<Body = Said>(path: string, as?: string): Promise<Answer<Body>>
  /** What the platform has of an order; null: it has none. */
  onPlatform(orderNo: string): Promise<Record<string, unknown> | null>
}

type PlatformConfig = NonNullable<NonNullable<Given['config']>['platform']>

/** `between`: what stands between the hub and the platform at this address, and how it is spoken to. */
export async function openCounter(
  given: Given = {},
  between: (url: string) => Promise<PlatformConfig> = async () => ({}),
): Promise<Counter> {
  await using opened = new AsyncDisposableStack()
  const platform = opened.use(await givenPlatform())
  const hub = opened.use(
    await startTestHub({
      ...given,
      config: {
        ...given.config,
        platform: {
          baseUrl: platform.apiUrl,
          ...KEYS,
          saleStores: { NO: '101', SE: '201' },
          ...given.config?.platform,
          ...(await between(platform.url)),
        },
      },
    }),
  )
  await hub.admin('jobs/stores/run', {})
  await eventually(async () => expect(await hub.hub.storage.stores()).not.toEqual([]))
  const erp = await keyOf('erp')
  const open = opened.move()

  async function keyOf(system: string, may = ALL) {
    const { body } = await hub.admin<{ key: string; id: string }>('keys', { system, may })
    return body
  }

  function submit(
    path: string,
    body: unknown,
    { key = randomUUID(), as = erp.key, headers, method }: SubmitOptions = {},
  ) {
    const raw = typeof body === 'string' || body instanceof Uint8Array
    return hub.ask<Said>(`/v1/${path}`, {
      method: (method ?? 'POST') as 'POST',
      headers: {
        authorization: `Bearer ${as}`,
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
        ...headers,
      },
      body: raw ? body : JSON.stringify(body),
    })
  }

  return {
    hub,
    platform,
    keyOf,
    submit,
    lines: (path, lines, options = {}) =>
      submit(path, ndjson(lines), {
        ...options,
        headers: { 'content-type': 'application/x-ndjson', ...options.headers },
      }),
    get: (path, as = erp.key) => hub.ask(`/v1/${path}`, { headers: { authorization: `Bearer ${as}` } }),
    async onPlatform(orderNo) {
      const headers = { 'x-api-key': KEYS.apiKey, 'ocp-apim-subscription-key': KEYS.subscriptionKey }
      const answer = await fetch(`${platform.url}/api/OmniChannel?orderNo=${orderNo}`, { headers })
      return answer.ok ? ((await answer.json()) as Record<string, unknown>) : null
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function shareCounter(given: Given = {}): () => Counter {
  let counter: Counter | null = null
  beforeAll(async () => {
    counter = await openCounter(given)
  })
  afterAll(() => counter?.[Symbol.asyncDispose]())
  return () => {
    if (!counter) throw new Error('The counter is there in tests only.')
    return counter
  }
}

export function ndjson(lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}

export function product(extId: string, more: object = {}) {
  return { extId, name: 'Wool sweater', price: 499, ...more }
}

export function sale(orderNo: string, more: object = {}) {
  return {
    orderNo,
    country: 'NO',
    saleDateTime: '2026-11-20T10:30:00+01:00',
    customer: { extId: 'C-77', email: 'kari@example.com' },
    salesLines: [{ identity: '7040000010017', price: '399.50', qty: 2 }],
    paymentLines: [{ amount: 799 }],
    ...more,
  }
}

export function order(orderNo: string, more: object = {}) {
  return {
    orderNo,
    storeNo: '102',
    saleDateTime: '2026-11-20T10:30:00+01:00',
    customer: { email: 'kari@example.com', firstName: 'Kari', phone: null },
    orderLines: [{ gtin: '7040000010017', price: '399.50', quantity: '1' }],
    ...more,
  }
}
