import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { writeEmptyStore } from '../../empty-store.ts'
import { DELIVERED, FAILED, HOUR, SHOP, SHOP_BULK } from '../acting.ts'
import { pending } from '../arrivals.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { callsOf, openQueues } from './lanes-kit.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

const opened: Disposable[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]()
})

function open(window?: Parameters<typeof openQueues>[1], slicesClock?: Parameters<typeof openQueues>[2]) {
  const the = openQueues(empty, window, slicesClock)
  opened.push(the)
  return the
}

const settled = () => new Promise(setImmediate)

describe('what is not made any more', () => {
  test('When a newer one comes for either queue of a destination, then the older one does not go, and its queue is woken', async () => {
    const the = open()
    await the.claim()
    await the.claim(SHOP_BULK)
    const levels = { latestWins: true }
    await the.accept(the.about('a', { ...levels, ...SHOP_BULK }))
    the.woken.length = 0
    await the.accept(the.about('a', levels))
    expect(the.woken.map((some) => some.toSorted())).toEqual([['shop bulk', 'shop prompt']])
    expect([callsOf(await the.claim(SHOP_BULK)), callsOf(await the.claim())]).toEqual([[], [[2]]])
  })

  test('When the result of one cannot be written, then it is still in flight: a newer one leaves it alone', async () => {
    const the = open()
    const levels = { latestWins: true }
    await the.accept(the.about('a', levels))
    const { calls } = await the.claim()
    the.db.exec(`create trigger refusing before update on deliveries when new.state = 'delivered'
      begin select raise(abort, 'refused'); end`)
    await expect(the.settle(calls.flat(), DELIVERED)).rejects.toThrow('refused')
    await the.accept(the.about('a', levels))
    expect(the.db.prepare('select state from deliveries where id = 1').pluck().get()).toBe('waiting')
    the.db.exec('drop trigger refusing')
    expect(await the.settle(calls.flat(), DELIVERED)).toEqual([true])
    expect(callsOf(await the.claim())).toEqual([[2]])
  })

  test('When a fact ends one that stands in no line, then the queues are read again', async () => {
    const the = open()
    const paid = pending({ once: true, effect: 'paid' })
    await the.accept(the.arrival({ deliveries: [paid] }))
    const { calls } = await the.claim()
    const [one] = calls.flat()
    if (!one) throw new Error('One was due.')
    await the.settle([one], { type: 'unknown', code: 'timeout', why: 'no answer' })
    the.woken.length = 0
    await the.accept(the.arrival({ deliveries: [], proves: ['paid'] }))
    expect(the.woken).toEqual([['shop prompt']])
    expect(callsOf(await the.claim())).toEqual([])
  })
})

test('When what is there comes again, then nothing is owed, and no queue is woken', async () => {
  const the = open()
  await the.claim()
  const came = the.arrival({ identity: 'invoice/1' })
  await the.accept(came)
  the.woken.length = 0
  await the.accept(came)
  expect([the.woken, callsOf(await the.claim())]).toEqual([[], [[1]]])
})

describe('a claim', () => {
  test('When more than fits is in the file, then what is read goes out at once, and the queue is woken when more is read', async () => {
    const the = open({ items: 4, bytes: 20_000 })
    await the.accept(...Array.from({ length: 9 }, () => the.about(null)))
    expect(callsOf(await the.claim(SHOP, { calls: 3 }))).toEqual([[1], [2], [3]])
    await settled()
    the.woken.length = 0
    // One is left in memory, and three places are free: it goes out while the file is read.
    expect(callsOf(await the.claim(SHOP, { calls: 3 }))).toEqual([[4]])
    await settled()
    await settled()
    expect(the.woken).toContainEqual(['shop prompt'])
    expect(callsOf(await the.claim(SHOP, { calls: 9 }))[0]).toEqual([5])
  })

  test('When all is erased while the file is read, then it is read again, from its beginning', async () => {
    const the = open()
    await the.accept(the.about('a'))
    let resets = 0
    the.state.gate = async (methods) => {
      if (methods.includes('load') && resets++ === 0) the.queueKeys.reset()
    }
    expect(callsOf(await the.claim())).toEqual([[1]])
    expect(the.asked.filter((one) => one === 'load')).toHaveLength(2)
  })

  test('When a claim waits for what is read, then it hands that out, and the queue is not woken for it', async () => {
    const the = open()
    await the.accept(the.about('a'))
    the.woken.length = 0
    expect(callsOf(await the.claim())).toEqual([[1]])
    await settled()
    expect(the.woken).toEqual([])
  })

  test('When several ask at once, then the file is read once', async () => {
    const the = open()
    await the.accept(the.about('a'))
    const both = await Promise.all([the.claim(), the.claim()])
    expect(both.flatMap(callsOf)).toEqual([[1]])
    expect(the.asked.filter((one) => one === 'load')).toHaveLength(1)
  })

  test('When the disk fails while a claim is prepared, then it is refused, and goes out when the disk is back', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }))
    the.state.gate = async (methods) => {
      if (methods.includes('prepare')) throw new Error('the disk is gone')
    }
    await expect(the.claim()).rejects.toThrow('The store has stopped. Restart the hub.')
    the.state.gate = async () => {}
    expect(callsOf(await the.claim())).toEqual([[1]])
  })

  test('When another decided on the first of an entity meanwhile, then that is not handed out, and the one behind it is', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }), the.about('a'))
    await the.claim(SHOP, { calls: 0 })
    the.db.exec(`update deliveries set state = 'superseded' where id = 1`)
    expect(callsOf(await the.claim())).toEqual([[2]])
  })

  test('When another decided on one of two that go out meanwhile, then only the other is handed out', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }), the.about('b', { once: true }))
    await the.claim(SHOP, { calls: 0 })
    the.db.exec(`update deliveries set state = 'superseded' where id = 1`)
    expect(callsOf(await the.claim())).toEqual([[2]])
  })

  test('When a destination has acknowledged nothing of what a delivery is about, then its claim says so', async () => {
    const the = open()
    const saying = async (digest: string) => {
      await the.accept(the.about('a', { digest }))
      const claims = (await the.claim()).calls.flat()
      await the.settle(claims, DELIVERED)
      return claims.map(({ unacknowledged, unchanged }) => ({ unacknowledged, unchanged }))
    }
    expect(await saying('one')).toEqual([{ unacknowledged: true, unchanged: false }])
    expect(await saying('one')).toEqual([{ unacknowledged: undefined, unchanged: true }])
  })

  test('When a fact came after a delivery that it may contradict, then its claim names the event of it', async () => {
    const the = open()
    await the.claim()
    await the.accept(the.about('a', { unless: ['collected'] }), the.about('b', { unless: [] }))
    await the.accept(the.arrival({ deliveries: [], proves: ['collected'] }))
    const claims = (await the.claim()).calls.flat()
    expect(claims.map(({ invalidated }) => invalidated)).toEqual([3, null])
  })

  test('When a richer body of its event is being written, then it waits for that', async () => {
    const the = open()
    await the.accept(the.about('a'))
    const accepting = Promise.withResolvers<void>()
    const richer = { ...the.about('a'), completes: { event: 1, bodyHash: '' } }
    the.queueKeys.completing([the.about('b'), richer], accepting.promise)
    let isOut = false
    const claiming = the.claim().then((claims) => {
      isOut = true
      return claims
    })
    for (let turn = 0; turn < 5; turn += 1) await settled()
    expect(isOut).toBe(false)
    accepting.resolve()
    expect(callsOf(await claiming)).toEqual([[1]])
  })

  test('When only low priority is due, and there is no room for it, then the claim says that some is left', async () => {
    const the = open()
    await the.accept(the.about('a', { yields: true }))
    expect(await the.claim(SHOP, { yielding: 0 })).toMatchObject({ calls: [], yieldingLeft: true })
    expect(await the.claim()).not.toHaveProperty('yieldingLeft')
  })

  test('When a delivery goes to the other queue while it is out, then that one has it as soon as its result is written', async () => {
    const the = open()
    await the.accept(the.about('a'))
    const claims = (await the.claim()).calls.flat()
    the.db.exec(`update deliveries set urgency = 'bulk'`)
    the.queueKeys.reset()
    expect(callsOf(await the.claim(SHOP_BULK))).toEqual([])
    the.woken.length = 0
    await the.settle(claims, FAILED)
    expect(the.woken.flat()).toContain('shop bulk')
    the.state.now += HOUR
    expect(callsOf(await the.claim(SHOP_BULK))).toEqual([[1]])
  })
})

describe('what comes back', () => {
  test('When results are written, then the queue is woken if it has more, or waits for a time; else it is not', async () => {
    const the = open()
    await the.accept(the.about('a'), the.about('b'), the.about('a'))
    const [a, b] = (await the.claim()).calls.flat()
    if (!a || !b) throw new Error('Two were due.')
    the.woken.length = 0
    expect(await the.settle([b], DELIVERED)).toEqual([true])
    expect(the.woken).toEqual([])
    expect(await the.settle([a], DELIVERED)).toEqual([true])
    expect(the.woken).toEqual([['shop prompt']])
    const [next] = (await the.claim()).calls.flat()
    the.woken.length = 0
    await the.settle(next ? [next] : [], FAILED)
    expect(the.woken).toEqual([['shop prompt']])
  })

  test('When the disk fails while they are released, then they are out as before, and can be settled', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }))
    const claims = (await the.claim()).calls.flat()
    the.state.gate = async (methods) => {
      if (methods.includes('offWire')) throw new Error('the disk is gone')
    }
    await expect(the.queueKeys.release(claims.map(({ fence }) => fence))).rejects.toThrow('The store has stopped.')
    the.state.gate = async () => {}
    expect(callsOf(await the.claim())).toEqual([])
    expect(await the.settle(claims, DELIVERED)).toEqual([true])
  })
})
