import { randomUUID } from 'node:crypto'
import { sale } from '../fixtures/payloads.ts'
import { once, request, webhook } from './requests.ts'
import type { Attack } from './siege.ts'

/*
 * Bodies that are no larger than is taken, and become many times as much when they are read. Each sort comes again a second
 * after it was answered.
 */

const PAUSE = 1_000

const LINES = 150_000

/** No larger than what a hub takes that was never told otherwise. */
export const largeShapes: Attack[] = [
  hooked('8 MB of brackets come', 'SaleCreated', () => brackets(7_900_000)),
  hooked('8 MB of brackets come as a kind that nobody knows', 'SomethingNew', () => brackets(7_900_000)),
  hooked('a payload has 600,000 names', 'SaleCreated', () => names(600_000)),
  hooked('a sale has 600,000 lines', 'SaleCreated', () => manyLines(600_000)),
  submitted(`a key of /v1 submits ${LINES} bad orders in one list`, 'application/json', () =>
    Buffer.from(`[${'{},'.repeat(LINES)}{}]`),
  ),
  submitted(`a key of /v1 submits ${LINES} bad orders line by line`, 'application/x-ndjson', () =>
    Buffer.from('{"orderNo":1}\n'.repeat(LINES)),
  ),
]

/** As large as a hub ever took. */
export const largestShapes: Attack[] = [
  hooked('60 MB of brackets come', 'SaleCreated', () => brackets(60_000_000)),
  hooked('a payload has 3.5 million names', 'SaleCreated', () => names(3_500_000)),
  submitted('a key of /v1 submits one line of 60 MB', 'application/x-ndjson', () =>
    Buffer.from(`"${'a'.repeat(60_000_000)}"\n`),
  ),
]

function hooked(name: string, kind: string, make: () => Buffer): Attack {
  const body = once(make)
  return {
    name,
    prepare: () => void body(),
    async run({ hub, strangers }) {
      strangers.keepOpen(1, (socket) => strangers.ask(socket, () => webhook(hub.webhookPath(kind), body()), PAUSE))
    },
  }
}

function submitted(name: string, type: string, make: () => Buffer): Attack {
  const body = once(make)
  return {
    name,
    prepare: () => void body(),
    async run({ hub, strangers }) {
      const key = await hub.createKey('oms', ['orders'])
      const next = () => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': randomUUID() }
        return request('POST', '/v1/orders', headers, body())
      }
      strangers.keepOpen(1, (socket) => strangers.ask(socket, next, PAUSE))
    },
  }
}

function brackets(bytes: number): Buffer {
  return Buffer.concat([Buffer.alloc(bytes / 2, '['), Buffer.alloc(bytes / 2, ']')])
}

/** `{"0000000":1,…}`, written in place: to make so many texts would take this process longer than the hub. */
function names(count: number): Buffer {
  const field = Buffer.from('"0000000":1,')
  const all = Buffer.alloc(count * field.byteLength, field)
  for (let nth = 0; nth < count; nth++) {
    let rest = nth
    for (let digit = 7; rest > 0; digit--) {
      all[nth * field.byteLength + digit] = 48 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
  }
  return Buffer.concat([Buffer.from('{'), all.subarray(0, -1), Buffer.from('}')])
}

function manyLines(count: number): Buffer {
  const text = JSON.stringify(sale({ receiptNo: 'MANY', orderLines: [] }))
  return Buffer.from(text.replace('"orderLines":[]', `"orderLines":[${'{"qty":1},'.repeat(count)}{}]`))
}
