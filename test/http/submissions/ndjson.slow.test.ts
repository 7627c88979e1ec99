import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, test } from 'vitest'

import { eventually } from '../../eventually.ts'
import { connectTo } from '../raw.ts'
import { ndjson, product, sale, shareCounter } from './given.ts'

const counter = shareCounter()

const erp = { key: '' }

beforeAll(async () => {
  erp.key = (await counter().keyOf('erp')).key
  // The platform is busy with nothing: these stories end when the lines are taken.
  await counter().hub.admin('destinations/platform/pause', { reason: 'not part of it' })
})

/** How many events there are whose transport key begins so. */
function keptUnder(key: string): number {
  const db = new Database(counter().hub.file, { readonly: true })
  const count = db.prepare<[string], number>('select count(*) from events where transport_key like ?').pluck()
  const found = count.get(`%/${key}/%`) ?? 0
  db.close()
  return found
}

function level(number: number, description?: string) {
  return { stockId: 12, gtin: `${number}`, quantity: number, description }
}

function send(key: string, body: Readable) {
  const headers = { authorization: `Bearer ${erp.key}`, 'content-type': 'application/x-ndjson', 'idempotency-key': key }
  return counter().hub.ask<{ id: number }>('/v1/stock-adjustments', { method: 'POST', headers, body })
}

describe('lines', () => {
  test('when some lines are bad, then the good ones are taken and the bad ones listed, by their line in the file', async () => {
    const lines = ['\uFEFF{"extId":"N-1"}', '', '{"extId":', { extId: 'N-2', prise: 1 }, { extId: 'N-3' }, '[1]']
    const { status, body } = await counter().lines('products', lines)
    expect(status).toBe(202)
    expect(body).toMatchObject({ status: 'accepted', lines: 5, accepted: 2, refused: 3 })
    expect(body.faults).toEqual([
      { line: 3, faults: [expect.stringMatching(/^the line is not JSON: it is broken/)] },
      { line: 4, faults: ['prise: no such field; did you mean "price"?'] },
      { line: 6, faults: ['found a list, expected an object'] },
    ])
    const detail = await counter().get<{ lines: number; refused: number; faults: unknown[]; items: number }>(
      `submissions/${body.id}`,
    )
    expect(detail.body).toMatchObject({ lines: 5, refused: 3, items: 2, faults: { length: 3 } })
  })

  test('when the bad lines are corrected and sent again with the same key, then those are taken, and no other twice', async () => {
    const first = await counter().lines('products', [product('F-1'), { extId: 'F-2', prise: 1 }], { key: 'fix' })
    const again = await counter().lines('products', [product('F-1'), product('F-2')], { key: 'fix' })
    expect(again).toMatchObject({ status: 202, body: { id: first.body.id, accepted: 1, duplicates: 1, refused: 0 } })
    expect((await counter().get(`submissions/${first.body.id}`)).body).toMatchObject({ items: 2, refused: 0, lines: 2 })
  })

  test('when all lines are bad, then nothing is taken and that is no success', async () => {
    expect(await counter().lines('prices', [{ price: 1 }, 'x'])).toMatchObject({
      status: 422,
      body: { code: 'invalid', faults: { length: 2 } },
    })
    expect(await counter().lines('prices', [])).toMatchObject({ status: 422, body: { code: 'invalid' } })
  })

  test('when a line conflicts with an earlier one, then it is refused by name and the others are taken', async () => {
    await counter().lines('sales', [sale('L-1')])
    const { status, body } = await counter().lines('sales', [
      sale('L-2'),
      sale('L-1', { saleDateTime: '2026-11-21T00:00:00Z' }),
    ])
    expect(status).toBe(202)
    expect(body).toMatchObject({ accepted: 1, refused: 1 })
    expect(body.faults[0]?.faults[0]).toMatch(/^the same was submitted before with other content, in submission \d+/)
  })

  test('when a line is longer than 256 KB, then it is a fault, and those around it are taken', async () => {
    const long = JSON.stringify({ extId: 'long', description: 'x'.repeat(270_000) })
    const { body } = await counter().lines('products', [product('X-1'), long, product('X-2')])
    expect(body).toMatchObject({ accepted: 2, refused: 1 })
    expect(body.faults).toEqual([{ line: 2, faults: ['the line is longer than 262144 bytes'] }])
  })
})

describe('content codings', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('when a body comes as %s, then its lines and its JSON are read', async (coding, compress) => {
    const headers = { 'content-encoding': coding }
    const lines = compress(ndjson([product(`${coding}-1`), product(`${coding}-2`)]))
    const json = compress(JSON.stringify(product(`${coding}-3`)))
    expect(
      await counter().submit('products', lines, { headers: { ...headers, 'content-type': 'application/x-ndjson' } }),
    ).toMatchObject({ status: 202, body: { accepted: 2 } })
    expect(await counter().submit('products', json, { headers })).toMatchObject({ status: 202, body: { accepted: 1 } })
  })

  test('when a body is not what its coding says, or ends too early, then it is not readable', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' }
    const whole = gzipSync(ndjson([product('G-1')]))
    expect(await counter().submit('products', 'plain', { headers })).toMatchObject({
      status: 400,
      body: { code: 'unreadable' },
    })
    expect(await counter().submit('products', whole.subarray(0, 20), { headers })).toMatchObject({
      status: 400,
      body: { code: 'unreadable' },
    })
  })

  test.each([
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)(
    'when bytes follow what is compressed as %s, then its sender is told, and may send all again',
    async (coding, compress) => {
      const headers = { 'content-encoding': coding, 'content-type': 'application/x-ndjson' }
      const [first, second] = [ndjson([product(`${coding}-first`)]), ndjson([product(`${coding}-second`)])]
      const answer = await counter().submit('products', Buffer.concat([compress(first), compress(second)]), { headers })
      expect(answer).toMatchObject({ status: 400, body: { code: 'unreadable' } })
      expect(await counter().submit('products', compress(first + second), { headers })).toMatchObject({
        status: 202,
        body: { accepted: 2 },
      })
    },
  )
})

describe('a long file', () => {
  const LINES = 20_000

  test('when 20,000 lines come, then no more is read than can be taken, and all are taken once', async () => {
    let ahead = 0
    /** 30 MB, made as they are asked for: several times what the sockets may hold. */
    async function* body() {
      for (let made = 0; made < LINES; made += 500) {
        ahead = Math.max(ahead, made - keptUnder('long-file'))
        yield ndjson(Array.from({ length: 500 }, (_, n) => level(made + n, 'x'.repeat(1_500))))
      }
    }

    const first = await send('long-file', Readable.from(body()))
    const again = await send('long-file', Readable.from(body()))

    expect(first).toMatchObject({ status: 202, body: { lines: LINES, accepted: LINES } })
    expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', duplicates: LINES, id: first.body.id } })
    // What the sockets and the lines under way hold; all of it would be 20,000.
    expect(ahead).toBeLessThan(LINES / 2)
  }, 60_000)

  test('when a large file comes under a key of another one, then the answer reaches its sender', async () => {
    await send('other-file', Readable.from([ndjson([level(1)])]))
    function* body() {
      for (let made = 0; made < 10_000; made += 500)
        yield ndjson(Array.from({ length: 500 }, (_, n) => level(made + n + 7, 'x'.repeat(1_000))))
    }

    expect(await send('other-file', Readable.from(body()))).toMatchObject({
      status: 422,
      body: { code: 'idempotency-key-reused' },
    })
    expect(keptUnder('other-file')).toBe(1)
  })

  test('when the sender breaks off, then what was committed stays, and sending again continues', async () => {
    const key = 'broken-off'
    const lines = Array.from({ length: 1_700 }, (_, n) => level(n))
    const text = ndjson(lines)
    using connection = await connectTo(counter().hub.url)
    const head = {
      host: 'hub',
      authorization: `Bearer ${erp.key}`,
      'idempotency-key': key,
      'content-type': 'application/x-ndjson',
      'content-length': Buffer.byteLength(text),
    }
    const headText = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
    await connection.write(`POST /v1/stock-adjustments HTTP/1.1\r\n${headText.join('')}\r\n`)
    await connection.write(ndjson(lines.slice(0, 1_200)))
    await eventually(() => expect(keptUnder(key)).toBe(1_000))
    connection.breakOff()
    await eventually(() => expect(counter().hub.lines.some(({ msg }) => msg === 'submission.broken-off')).toBe(true))
    const again = await counter().lines('stock-adjustments', lines, { key })
    expect(again).toMatchObject({ status: 202, body: { lines: 1_700, accepted: 700, duplicates: 1_000 } })
    expect(keptUnder(key)).toBe(1_700)
    expect((await counter().get(`submissions/${again.body.id}`)).body).toMatchObject({ items: 1_700, lines: 1_700 })
  }, 30_000)
})
