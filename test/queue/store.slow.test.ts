import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { flowOf, hubTo, movement, saleNo, through, untilAll } from './kit/kit.ts'
import { createShop } from './kit/shop.ts'

/** Somebody else's lock on the file: nothing can be written while it is held. */
function lockFile(file: string): Disposable {
  const db = new Database(file)
  db.exec('begin immediate')
  return {
    [Symbol.dispose]() {
      db.exec('rollback')
      db.close()
    },
  }
}

test('When the store cannot write while results come in, then none is lost and none is sent twice', async () => {
  await using sink = await startSink()
  await using hub = await hubTo(sink)
  sink.play('hang')
  for (let id = 0; id < 4; id += 1) await hub.post('StockMovementCreated', movement(id + 1, `article-${id}`))
  await hub.post('StockMovementCreated', movement(5, 'article-0'))
  await sink.until(4)
  {
    using _lock = lockFile(hub.file)
    sink.play({ status: 200 })
    sink.letGo()
    await eventually(async () => (await hub.ask('/health/ready')).status === 503)
    expect((await hub.post('SaleCreated', saleNo(1))).status).toBe(503)
    expect(sink.received).toHaveLength(4)
  }
  await untilAll(hub, 'delivered', 5)
  expect(sink.received.map(({ body }) => JSON.parse(body).movementId).sort()).toEqual([1, 2, 3, 4, 5])
})

test('When the intent of what must happen once cannot be written, then it is not called, until it can', async () => {
  const shop = createShop()
  let release = () => {}
  shop.turns = [() => new Promise((resolve) => (release = () => resolve({})))]
  await using hub = await startTestHub({
    destinations: { bank: through(shop.port, { queue: { concurrency: 1 } }) },
    flows: [flowOf('refund', { once: true, onUnknown: 'hold' })],
  })
  await hub.post('SaleCreated', saleNo(1))
  await eventually(() => shop.calls.length === 1)
  await hub.post('SaleCreated', saleNo(2))
  {
    using _lock = lockFile(hub.file)
    release()
    await eventually(async () => (await hub.ask('/health/ready')).status === 503)
    expect(shop.calls).toHaveLength(1)
  }
  await untilAll(hub, 'delivered', 2)
  expect(shop.calls).toHaveLength(2)
})
