import { describe, expect, test } from 'vitest'
import { keptIn, startTestHub } from '../../hub.ts'
import { product, sale, shareCounter } from './given.ts'

const counter = shareCounter()

describe('keys', () => {
  test('when two systems submit, then neither sees the other’s, and their keys do not meet', async () => {
    const pim = await counter().keyOf('pim')
    const oms = await counter().keyOf('oms', 'orders')
    const mine = await counter().submit('products', product('T-1'), { key: 'same', as: pim.key })
    const theirs = await counter().submit('products', product('T-2'), { key: 'same' })
    expect(mine).toMatchObject({ status: 202 })
    expect(theirs).toMatchObject({ status: 202 })
    expect(mine.body.id).not.toBe(theirs.body.id)
    expect(await counter().get(`submissions/${mine.body.id}`, pim.key)).toMatchObject({
      status: 200,
      body: { id: mine.body.id, resource: 'products', key: 'same', items: 1, lines: 1 },
    })
    expect(await counter().get(`submissions/${mine.body.id}`)).toMatchObject({ status: 404 })
    expect(await counter().get(`submissions/${mine.body.id}`, oms.key)).toMatchObject({ status: 404 })
    expect(await counter().get('submissions/999999')).toMatchObject({ status: 404 })
    expect(await counter().get('submissions/x')).toMatchObject({ status: 404 })
    expect(await counter().get(`submissions/${mine.body.id}`, 'none')).toMatchObject({ status: 401 })
  })

  test('when another key of the same system asks, whatever it may submit, then it is told', async () => {
    const { body } = await counter().submit('products', product('T-3'))
    const other = await counter().keyOf('erp', 'orders')
    expect(await counter().get(`submissions/${body.id}`, other.key)).toMatchObject({ status: 200 })
  })

  test('when somebody with a webhook token posts a submission’s kind, then it is not taken as one', async () => {
    await counter().hub.post('ProductSubmitted', { extId: 'forged' })
    expect(keptIn(counter().hub).filter(({ body }) => body.includes('forged'))).toMatchObject([
      { state: 'quarantined', problem: 'ProductSubmitted is not a kind that comes this way' },
    ])
  })
})

describe('the Idempotency-Key', () => {
  test('when it is missing or not printable, then nothing is taken; a dry run needs none', async () => {
    for (const [key, code] of [
      [null, 'idempotency-key-missing'],
      ['', 'idempotency-key-missing'],
      ['x'.repeat(201), 'idempotency-key-invalid'],
    ] as const)
      expect(await counter().submit('products', product('I-1'), { key })).toMatchObject({ status: 400, body: { code } })
    expect(await counter().submit('products?dryRun=true', product('I-1'), { key: null })).toMatchObject({ status: 200 })
  })

  test('when it is used for other content, then that is refused and nothing of it is taken', async () => {
    const first = await counter().submit('products', product('R-1'), { key: 'reused' })
    const before = keptIn(counter().hub).length
    const again = await counter().submit('products', [product('R-2'), product('R-3')], { key: 'reused' })
    const lines = await counter().lines('products', [product('R-2'), product('R-3')], { key: 'reused' })
    for (const answer of [again, lines])
      expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } })
    expect(keptIn(counter().hub)).toHaveLength(before)
    expect(first.status).toBe(202)
  })

  test('when twenty copies come at once, then one is taken, and all are told its id', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => counter().submit('sales', sale('TW-1'), { key: 'twenty' })),
    )
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
  })
})

describe('what cannot be read', () => {
  test('when type, coding, size, JSON or a parameter are wrong, then each says what to do', async () => {
    const submit = (body: string, headers: Record<string, string>, path = 'products') =>
      counter().submit(path, body, { headers })
    expect(await submit('a,b', { 'content-type': 'text/csv' })).toMatchObject({ status: 415 })
    expect(await submit('{}', { 'content-encoding': 'zstd' })).toMatchObject({ status: 415 })
    expect(await submit('{"extId":', {})).toMatchObject({ status: 400, body: { code: 'unreadable' } })
    expect(await submit(' '.repeat(8_000_001), {})).toMatchObject({ status: 413, body: { code: 'body-too-large' } })
    expect(await submit('{}', {}, 'products?dryrun=true')).toMatchObject({
      status: 400,
      body: { detail: 'There is no parameter "dryrun". Did you mean dryRun?' },
    })
    expect(await submit('{}', {}, 'prices?force=true')).toMatchObject({ status: 400 })
    expect(await submit('[]', {})).toMatchObject({ status: 422, body: { code: 'invalid' } })
  })

  test('when the stores were never read, then what names one is told to wait, and the rest is taken', async () => {
    await using hub = await startTestHub()
    const { body } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: 'sales,products' })
    const submit = (path: string, item: object) =>
      hub.ask(`/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${body.key}`, 'content-type': 'application/json', 'idempotency-key': '1' },
        body: JSON.stringify(item),
      })
    const refused = await submit('sales', sale('W-1', { country: null, storeNo: '101' }))
    expect(refused).toMatchObject({ status: 503, body: { code: 'stores-unknown' } })
    expect(refused.headers['retry-after']).toBe('60')
    expect(await submit('products', product('A-1'))).toMatchObject({ status: 202 })
  })
})

interface Status {
  lines: number | null
  refused: number | null
  items: number
}

test('when a copy of an earlier sale is sent again and again, then the earlier submission stays as it ended', async () => {
  const first = await counter().lines('sales', [sale('AG-1'), { orderNo: 'AG-2' }], { key: 'ag-first' })
  const copy = () => counter().lines('sales', [sale('AG-1')], { key: 'ag-copy' })
  for (const answer of [await copy(), await copy()])
    expect(answer).toMatchObject({ status: 200, body: { status: 'duplicate', id: first.body.id } })
  expect((await counter().get<Status>(`submissions/${first.body.id}`)).body).toMatchObject({ lines: 2, refused: 1 })
})

test('when a file that begins with a copy is sent again, longer, then it is its own submission that goes on and ends', async () => {
  const first = await counter().submit('sales', sale('AG-3'))
  const begun = await counter().lines('sales', [sale('AG-3'), sale('AG-4')], { key: 'ag-file' })
  const whole = await counter().lines('sales', [sale('AG-3'), sale('AG-4'), sale('AG-5')], { key: 'ag-file' })
  const again = await counter().lines('sales', [sale('AG-3'), sale('AG-4'), sale('AG-5')], { key: 'ag-file' })
  expect(begun.body.id).not.toBe(first.body.id)
  expect(whole).toMatchObject({ status: 202, body: { id: begun.body.id, accepted: 1, duplicates: 2 } })
  expect(again).toMatchObject({ status: 200, body: { id: begun.body.id, duplicates: 3 } })
  expect((await counter().get<Status>(`submissions/${begun.body.id}`)).body).toMatchObject({ lines: 3, items: 2 })
  expect((await counter().get<Status>(`submissions/${first.body.id}`)).body).toMatchObject({ lines: 1, items: 1 })
})
