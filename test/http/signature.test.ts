import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sale } from '../fixtures/payloads.ts'
import { keptIn, startTestHub } from '../hub.ts'

const SECRETS = ['secret-of-the-proxy-now', 'secret-of-the-proxy-before']
const signature = { header: 'X-Proxy-Signature', secrets: SECRETS }

function signed(body: string | Buffer, secret = SECRETS[0] ?? '', prefix = 'sha256='): Record<string, string> {
  return { 'x-proxy-signature': prefix + createHmac('sha256', secret).update(body).digest('hex') }
}

test('A webhook that the proxy must sign is taken with a right signature of any secret', async () => {
  await using hub = await startTestHub({ config: { webhooks: { signature } } })
  for (const [index, secret] of SECRETS.entries()) {
    const body = JSON.stringify(sale({ receiptNo: String(index) }))
    expect(await hub.post('SaleCreated', body, { headers: signed(body, secret) })).toMatchObject({ status: 202 })
    const bare = signed(body, secret, '')
    expect(await hub.post('SaleCreated', body, { headers: bare })).toMatchObject({ status: 200 })
  }
})

test('A webhook without a right signature is refused with 401 though its token is right, counted, and not kept', async () => {
  await using hub = await startTestHub({ config: { webhooks: { signature } } })
  const body = JSON.stringify(sale())
  const right = signed(body)['x-proxy-signature'] ?? ''
  const wrong: Record<string, string>[] = [
    {},
    signed(`${body} `),
    signed(body, 'secret-of-somebody-else'),
    { 'x-proxy-signature': '' },
    { 'x-proxy-signature': 'sha256=' },
    { 'x-proxy-signature': right.slice(0, -2) },
    { 'x-proxy-signature': `${right}00` },
    { 'x-proxy-signature': right.replace('sha256', 'sha1') },
    { 'x-proxy-signature': `${right}, ${right}` },
  ]
  for (const headers of wrong) {
    const answer = await hub.post('SaleCreated', body, { headers })
    expect(answer).toMatchObject({ status: 401, body: { code: 'wrong-signature' } })
    expect(answer.body.detail).toContain('platform.webhooks.signature')
  }
  expect(keptIn(hub)).toEqual([])
  const status = await hub.admin<{ requests: object }>('status')
  expect(status.body.requests).toMatchObject({ refused: { 'wrong-signature': wrong.length } })
  expect(await hub.post('SaleCreated', body, { token: 'wrong', headers: signed(body) })).toMatchObject({
    status: 401,
    body: { code: 'wrong-token' },
  })
  expect(await hub.post('SaleCreated', body, { headers: signed(body) })).toMatchObject({ status: 202 })
  expect(JSON.stringify(hub.lines)).not.toContain(right)
})

test('A webhook that is too large for its signature to be checked is refused with 413, and not kept', async () => {
  await using hub = await startTestHub({ config: { server: { maxBody: '1kb' }, webhooks: { signature } } })
  const body = JSON.stringify(sale({ comment: 'x'.repeat(2_000) }))
  for (const headers of [signed(`${body} `), {}])
    expect(await hub.post('SaleCreated', body, { headers })).toMatchObject({ status: 413 })
  expect(hub.lines.filter(({ msg }) => msg === 'webhook.refused')).toHaveLength(2)
  expect(await hub.hub.storage.events({ limit: 10 })).toEqual([])
  const packed = gzipSync(body)
  const inflating = { ...signed(packed), 'content-encoding': 'gzip' }
  expect(await hub.post('SaleCreated', packed, { headers: inflating })).toMatchObject({ status: 413 })
  expect(await hub.hub.storage.events({ limit: 10 })).toHaveLength(1)
})

test('A signature is of the bytes that came, compressed or not, and of a list of addresses as well', async () => {
  const allow = { webhooks: ['127.0.0.1'] }
  await using hub = await startTestHub({ config: { server: { allow }, webhooks: { signature } } })
  const packed = gzipSync(JSON.stringify(sale()))
  const headers = { ...signed(packed), 'content-encoding': 'gzip' }
  expect(await hub.post('SaleCreated', packed, { headers })).toMatchObject({ status: 202 })
  const plain = { ...signed(JSON.stringify(sale())), 'content-encoding': 'gzip' }
  expect(await hub.post('SaleCreated', packed, { headers: plain })).toMatchObject({ status: 401 })
  const marked = Buffer.from(`\uFEFF${JSON.stringify(sale({ receiptNo: 'marked' }))}`)
  expect(await hub.post('SaleCreated', marked, { headers: signed(marked) })).toMatchObject({ status: 202 })
})
