import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { openCounter, product, shareCounter } from './given.ts'

const counter = shareCounter()

interface Status {
  id: number
  done: boolean
  lines: number
  items: number
  destinations: Record<string, Record<string, number>>
  failed: { line: number; entity: string; state: string; code: string; why: string }[]
}

test('when what was submitted has reached the platform, then the submission is done, and counts it', async () => {
  const { body } = await counter().lines('products', [product('ST-1'), product('ST-2'), product('ST-3')])
  await eventually(async () => {
    const status = await counter().get<Status>(`submissions/${body.id}`)
    expect(status.body).toMatchObject({
      id: body.id,
      resource: 'products',
      lines: 3,
      items: 3,
      refused: 0,
      unrouted: 0,
      destinations: { platform: { waiting: 0, delivered: 3, dead: 0 } },
      done: true,
      failed: [],
    })
  })
})

test('when the platform refuses some lines, then they are listed with why, and one can go on behind a line', async () => {
  await counter().submit('products', product('PR-1'))
  await eventually(async () => expect(await deliveredOf('ProductSubmitted')).toBeGreaterThanOrEqual(4))
  const { body } = await counter().lines('prices', [
    { list: 'Norway', productExtId: 'nobody-1', price: 1 },
    { list: 'Norway', productExtId: 'PR-1', price: 1 },
    { list: 'Norway', productExtId: 'nobody-2', price: 1 },
  ])
  const ended = await eventually(async () => {
    const found = await counter().get<Status>(`submissions/${body.id}`)
    expect(found.body).toMatchObject({ done: true, destinations: { platform: { delivered: 1, dead: 2 } } })
    return found.body
  })
  expect(ended.failed).toMatchObject([
    { line: 1, state: 'dead', why: expect.stringMatching(/400 Bad Request: .*; it names prices$/) },
    { line: 3, state: 'dead', why: expect.stringMatching(/400 Bad Request: .*; it names prices$/) },
  ])
  const behind = await counter().get<Status>(`submissions/${body.id}?after=1`)
  expect(behind.body.failed).toEqual(ended.failed.slice(1))
  expect(await counter().get(`submissions/${body.id}?after=x`)).toMatchObject({ status: 400 })
})

async function deliveredOf(kind: string): Promise<number> {
  const { body } = await counter().hub.admin<{ deliveries: object[] }>(`deliveries?kind=${kind}&state=delivered`)
  return body.deliveries.length
}

test('when the store cannot write, then nothing is answered but 503, and the same can be sent again', async () => {
  await using locked = await openCounter()
  const other = new Database(locked.hub.file)
  other.exec('begin exclusive')
  const refused = await locked.submit('products', product('L-1'), { key: 'locked' })
  other.close()
  expect(refused).toMatchObject({ status: 503, body: { code: 'store-unavailable' } })
  expect(refused.headers['retry-after']).toBe('5')
  expect(await locked.submit('products', product('L-1'), { key: 'locked' })).toMatchObject({ status: 202 })
})
