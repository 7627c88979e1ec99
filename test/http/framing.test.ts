import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { keptIn, shareHub, WEBHOOK_TOKEN } from '../hub.ts'
import { connectTo } from './raw.ts'

const hub = shareHub()

function webhook(receiptNo: string, headers = 'Host: hub\r\n'): string {
  const body = JSON.stringify(sale({ receiptNo }))
  return `POST /webhooks/SaleCreated?token=${WEBHOOK_TOKEN} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)

describe('requests behind each other on one connection', () => {
  test.each([
    ['what is no HTTP', 'this is no HTTP\r\n\r\n'],
    [
      'a body that breaks off its chunks',
      'POST /webhooks/X?token=x HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
  ])('webhooks before %s get their own answers first', async (what, broken) => {
    using socket = await connectTo(hub().url)
    await socket.write(webhook(`known ${what}`))
    await socket.answer(/202/)
    await socket.write(webhook(`a ${what}`) + webhook(`b ${what}`) + broken)
    expect(statuses(await socket.answer())).toEqual(['202', '202', '202', '400'])
  })

  test('a sender that pipelines too many gets an answer to each that was stored, and no other is stored', async () => {
    using socket = await connectTo(hub().url)
    await socket.write(webhook('first'))
    await socket.answer(/202/)
    const sent = Array.from({ length: 40 }, (_, nth) => `many ${nth}`)
    await socket.write(sent.map((receiptNo) => webhook(receiptNo)).join(''))
    const answered = statuses(await socket.answer()).length - 1
    expect(answered).toBeGreaterThan(0)
    expect(answered).toBeLessThan(10)
    await eventually(async () => {
      const stored = keptIn(hub()).filter(({ body }) => body.includes('"many '))
      expect(stored).toHaveLength(answered)
    })
  })
})

describe('a request that a proxy may read as another one', () => {
  test.each([
    ['two Host headers', 'Host: hub\r\nHost: other\r\n', webhook],
    [
      'Transfer-Encoding identity and chunked',
      'Host: hub\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
      (_: string, headers?: string) =>
        `POST /webhooks/SaleCreated?token=${WEBHOOK_TOKEN} HTTP/1.1\r\n${headers}\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
  ])('%s is refused, and its connection closed', async (_, headers, make) => {
    using socket = await connectTo(hub().url)
    await socket.write(make('ambiguous', headers))
    expect(statuses(await socket.answer())).toEqual(['400'])
  })
})
