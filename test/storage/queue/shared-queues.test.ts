import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { QueueKey } from '../../../src/domain/queue/queue-key.ts'
import { pack } from '../../../src/storage/accepting.ts'
import type { Arrival } from '../../../src/storage/arrival.ts'
import { type LoadedItem, START } from '../../../src/storage/queue/queue.ts'
import { createQueueStorage } from '../../../src/storage/sqlite/pipe.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { DELIVERED, SHOP, SHOP_BULK } from '../acting.ts'
import { pending } from '../arrivals.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { callsOf, openQueues } from './lanes-kit.ts'

/* What PostgreSQL asks of the queues where hubs share the work; here on a file, in this process. */

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

const opened: Disposable[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]()
})

const settled = () => new Promise(setImmediate)

/** Queues whose prompt one is read to its end; `elsewhere`: another hub accepts, and these are its rows of a queue. */
async function open() {
  const the = openQueues(empty)
  opened.push(the)
  await the.claim()
  const storage = createQueueStorage(the.pipe, () => the.state.now)

  async function elsewhere(arrivals: Arrival[], queueKey: QueueKey = SHOP): Promise<LoadedItem[]> {
    const { packed, bodies } = pack(arrivals)
    await the.pipe.call('accept', [packed, bodies], () => {})
    const room = { items: 99, bytes: 99_999 }
    const items = await storage.load(queueKey, START, room, (page) => page.items)
    the.woken.length = 0
    return items
  }

  async function isDrained(partitions: number[] = []) {
    let is = false
    const over = the.queueKeys.drained(partitions).then(() => {
      is = true
    })
    await settled()
    return { over, is: () => is }
  }

  return { ...the, elsewhere, isDrained }
}

describe('rows that another hub wrote', () => {
  test('When they are of a queue that is in memory up to them, then those that are not there are missing', async () => {
    const the = await open()
    const [id = 0] = await the.accept(the.about('a'))
    const rows = [
      { id, event: id, ...SHOP },
      { id: 50, event: 50, ...SHOP },
      { id: 51, event: 51, ...SHOP_BULK },
    ]
    expect(the.queueKeys.missing(rows)).toEqual([50])
  })

  test('When they are found, then they go out, and their queue is woken; those of a queue that nobody asks for are left', async () => {
    const the = await open()
    the.queueKeys.found(await the.elsewhere([the.about('a'), the.about('b')]))
    expect(the.woken).toEqual([['shop prompt']])
    expect(callsOf(await the.claim())).toEqual([[1], [2]])
    the.queueKeys.found(await the.elsewhere([the.about('c', SHOP_BULK)], SHOP_BULK))
    expect(the.woken).toEqual([])
  })

  test('When one of them is due later, then it waits until then', async () => {
    const the = await open()
    const dueAt = the.state.now + 10_000
    the.queueKeys.found(await the.elsewhere([the.about('a', { notBefore: dueAt })]))
    expect(await the.claim()).toEqual({ calls: [], wakeAt: dueAt })
  })

  test('When one of a batch was due before it is found, then it has waited for others since then', async () => {
    const the = await open()
    const items = await the.elsewhere([the.about(null, { batch: 'lines' })])
    the.state.now += 1_000
    the.queueKeys.found(items)
    expect(callsOf(await the.claim(SHOP, { batch: { linger: 1_000 } }))).toEqual([[1]])
  })

  test('When they are gone, then what waited behind them in both queues goes, and these are woken', async () => {
    const the = await open()
    await the.claim(SHOP_BULK)
    await the.accept(the.about('a'), the.about('a'), the.about('a', SHOP_BULK))
    the.woken.length = 0
    the.queueKeys.gone([{ id: 1, destination: 'shop', entity: 'a' }])
    expect(the.woken.map((some) => some.toSorted())).toEqual([['shop bulk', 'shop prompt']])
    expect(callsOf(await the.claim())).toEqual([[2]])
    the.woken.length = 0
    the.queueKeys.gone([{ id: 1, destination: 'elsewhere', entity: 'a' }])
    expect(the.woken).toEqual([])
  })
})

test('When something more is owed of an event, then what it supersedes leaves its line, and the queue is woken', async () => {
  const the = await open()
  await the.accept(the.about('a'))
  the.woken.length = 0
  const { body, ...event } = { ...the.about('a'), id: 9, revision: 0 }
  const of = { destination: 'shop', entity: 'a' }
  const owed = [pending({ entity: 'a' })]
  the.queueKeys.pending(event, body, owed, { ids: [2], superseded: [{ id: 1, ...of }] })
  expect(the.queueKeys.inLines([of])).toEqual([{ id: 2, ...of }])
  expect(the.woken).toEqual([['shop prompt']])
})

test('When lines of entities are asked for, then what waits in them is told, of both queues, and nothing that is out', async () => {
  const the = await open()
  await the.claim(SHOP_BULK)
  await the.accept(the.about('a'), the.about('a'), the.about('b'), the.about('a', SHOP_BULK))
  await the.claim()
  const asked = [
    { destination: 'shop', entity: 'a' },
    { destination: 'shop', entity: null },
    { destination: 'elsewhere', entity: 'a' },
  ]
  const of = { destination: 'shop', entity: 'a' }
  expect(the.queueKeys.inLines(asked)).toEqual([
    { id: 2, ...of },
    { id: 4, ...of },
  ])
})

describe('a hub that loses its part of the work', () => {
  test('When it abandons all, then what comes of its claims is not written, nothing is out, and all is read again', async () => {
    const the = await open()
    await the.accept(the.about('a'), the.about('a'))
    const claims = (await the.claim()).calls.flat()
    const drained = await the.isDrained()
    expect([claims.length, drained.is()]).toEqual([1, false])
    the.woken.length = 0
    the.queueKeys.abandon()
    await drained.over
    expect(the.woken).toEqual([['shop prompt']])
    expect(await the.settle(claims, DELIVERED)).toEqual([false])
    expect(callsOf(await the.claim())).toEqual([[1]])
  })

  test.each(['abandon', 'reset'] as const)(
    'When it is told to %s while it claims, then nothing goes out before all was read again',
    async (act) => {
      const the = await open()
      await the.accept(the.about('a'))
      const claiming = the.claim()
      the.queueKeys[act]()
      the.woken.length = 0
      expect(await claiming).toEqual({ calls: [], wakeAt: null })
      expect(the.woken).toEqual([['shop prompt']])
      expect(callsOf(await the.claim())).toEqual([[1]])
    },
  )

  test('When it abandons all while the storage prepares a claim, then that goes out to nobody, and all is read again', async () => {
    const the = await open()
    await the.accept(the.about('a', { digest: 'one' }))
    the.state.gate = async (methods) => {
      if (methods.includes('prepare')) the.queueKeys.abandon()
      the.state.gate = async () => {}
    }
    expect(await the.claim()).toEqual({ calls: [], wakeAt: null })
    expect((await the.isDrained()).is()).toBe(true)
    expect(callsOf(await the.claim())).toEqual([[1]])
  })

  test('When all is read again while a result is written, then the result counts', async () => {
    const the = await open()
    await the.accept(the.about('a'), the.about('a'))
    const claims = (await the.claim()).calls.flat()
    const writing = the.settle(claims, DELIVERED)
    the.queueKeys.reset()
    expect(await writing).toEqual([true])
    expect(callsOf(await the.claim())).toEqual([[2]])
  })

  test('When what it has of some partitions is to end, then that resolves once the last of these is settled', async () => {
    const the = await open()
    const items = await the.elsewhere([the.about('a'), the.about('b')])
    the.queueKeys.found(items.map((one, n) => ({ ...one, partition: n })))
    const claims = (await the.claim()).calls.flat()
    const [first, other] = [await the.isDrained([0]), await the.isDrained([7])]
    expect([first.is(), other.is()]).toEqual([false, true])
    await the.settle(claims.slice(1), DELIVERED)
    expect(first.is()).toBe(false)
    await the.settle(claims.slice(0, 1), DELIVERED)
    await first.over
  })

  test('When it returns claims, then those that are out no more are passed over', async () => {
    const the = await open()
    await the.accept(the.about('a'))
    const fences = (await the.claim()).calls.flat().map(({ fence }) => fence)
    the.woken.length = 0
    await the.queueKeys.release([1, ...fences])
    expect(the.woken).toEqual([['shop prompt']])
    await the.queueKeys.release(fences)
    expect(the.woken).toHaveLength(1)
    expect(callsOf(await the.claim())).toEqual([[1]])
  })
})
