import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { writeEmptyStore } from '../../../empty-store.ts'
import { BUS, DELIVERED, FAILED, REFUSED, SHOP, SHOP_BULK, settlement } from '../../acting.ts'
import { owed } from '../../arrivals.ts'
import { temporaryFolder } from '../file.ts'
import { eventOf } from './items.ts'
import { callsOf, openLanes } from './lanes-kit.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

const opened: Disposable[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]()
})

function open(window?: Parameters<typeof openLanes>[1], slicesClock?: Parameters<typeof openLanes>[2]) {
  const the = openLanes(empty, window, slicesClock)
  opened.push(the)
  return the
}

const settled = () => new Promise(setImmediate)

describe('what is owed', () => {
  test('When a lane is at work, then what comes for it is taken up without a look into the file, and it is woken', async () => {
    const the = open()
    expect(await the.claim()).toEqual({ calls: [], wakeAt: null })
    expect(the.asked).toEqual(['load'])
    await the.accept(the.about('a'), the.about('b', BUS), the.about('c', SHOP_BULK))
    expect(the.woken).toEqual([['shop prompt']])
    expect(callsOf(await the.claim())).toEqual([[1]])
    expect(the.asked).toEqual(['load', 'accept'])
  })

  test('When nobody has asked for a lane yet, then nobody is woken, and it is read when somebody asks', async () => {
    const the = open()
    await the.accept(the.about('a'))
    expect(the.woken).toEqual([])
    expect(callsOf(await the.claim())).toEqual([[1]])
  })

  test('When an arrival owes nothing, or a copy of it comes, then nobody is woken', async () => {
    const the = open()
    await the.claim()
    const one = the.of('StockMovementCreated', { movementId: 5 }, { identity: '5', deliveries: [] })
    await the.accept(one, one)
    expect(the.woken).toEqual([])
  })

  test('When an event that is here already owes more, then its lane is woken for that, and what it supersedes does not go', async () => {
    const the = open()
    await the.claim()
    const [id = 0] = await the.accept(the.about('a', { latestWins: true }))
    the.woken.length = 0
    const event = { ...eventOf(id), receivedAt: the.state.now }
    const more = [owed({ flow: 'more', entity: 'b' }), owed({ flow: 'more', entity: 'c', destination: 'bus' })]
    const first = await the.pipe.call('owe', [event, more, the.state.now, []], (now) => {
      the.lanes.owed(event, new Uint8Array(3), more, now)
      return now
    })
    expect([first.ids, the.woken]).toEqual([[2, 3], [['shop prompt']]])
    const { calls } = await the.claim()
    expect(calls.map(([one]) => [one?.delivery.id, one?.event.body.byteLength])).toEqual([
      [1, expect.any(Number)],
      [2, 3],
    ])
    the.woken.length = 0
    the.lanes.owed(event, new Uint8Array(), [], { ids: [], superseded: [] })
    expect(the.woken).toEqual([])
  })
})

describe('what is not made any more', () => {
  test('When a newer one comes for either lane of a destination, then the older one does not go, and its lane is woken', async () => {
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

  test('When a fact ends one that stands in no line, then the lanes are read again', async () => {
    const the = open()
    const paid = owed({ once: true, effect: 'paid' })
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

describe('what is out', () => {
  test('When arrivals come, then the writer is told what is out of their events, and of what they would end', async () => {
    const the = open()
    const newer = the.about('a', { latestWins: true })
    const [event = 0] = await the.accept(
      the.about('a', { latestWins: true }),
      the.about('b'),
      the.about(null, { effect: 'paid' }),
    )
    await the.claim()
    expect(the.lanes.outFor([the.about('z')])).toEqual({ events: [event, event + 1, event + 2], deliveries: [] })
    expect(the.lanes.outFor([newer]).deliveries).toEqual([1])
    const bulk = the.about('a', { latestWins: true, ...SHOP_BULK })
    expect(the.lanes.outFor([bulk]).deliveries).toEqual([1])
    const elsewhere = [
      the.about('a', { latestWins: true, ...BUS }),
      the.about('a'),
      the.about(null, { latestWins: true }),
    ]
    expect(the.lanes.outFor(elsewhere).deliveries).toEqual([])
    expect(the.lanes.outFor([{ ...newer, proves: ['paid', 'sent'] }]).deliveries).toEqual([1, 3])
    expect(
      the.lanes.claimedLike([owed({ entity: 'a', latestWins: true }), owed({ entity: 'b', latestWins: true })]),
    ).toEqual([1, 2])
  })

  test('When a fuller copy of an event comes, then what waits for it goes out with that', async () => {
    const the = open()
    const thin = the.arrival({
      identity: 'A/1',
      entity: 'a',
      deliveries: [owed({ entity: 'a', notBefore: the.state.now + 10 })],
    })
    const [event = 0] = await the.accept(thin)
    await the.claim()
    const fuller = Buffer.from('{"fuller":true}')
    await the.accept({
      ...the.arrival({ identity: 'A/1', entity: 'a', body: fuller, subscription: 'other', deliveries: [] }),
      completes: { event, bodyHash: thin.bodyHash },
    })
    the.state.now += 10
    const [one] = (await the.claim()).calls.flat()
    expect([Buffer.from(one?.event.body ?? []).toString(), one?.event.subscription]).toEqual([
      '{"fuller":true}',
      'other',
    ])
  })

  test('When a delivery moves to another lane while it is out, then it goes there once it is back, and not before', async () => {
    const the = open()
    await the.accept(the.about('a'))
    const { calls } = await the.claim()
    the.db.exec(`update deliveries set destination = 'bus'`)
    the.lanes.reset()
    expect(callsOf(await the.claim(BUS))).toEqual([])
    the.woken.length = 0
    await the.lanes.release(calls.flat().map(({ fence }) => fence))
    expect(the.woken.map((some) => some.toSorted())).toEqual([['bus prompt', 'shop prompt']])
    expect(callsOf(await the.claim(BUS))).toEqual([[1]])
    the.woken.length = 0
    // It is a stray no more: whatever comes back now ends nothing.
    await the.settle((await the.claim(SHOP)).calls.flat(), DELIVERED)
    expect(the.woken).toEqual([])
  })
})

describe('a claim', () => {
  test('When more than fits is in the file, then what is read goes out at once, and the lane is woken when more is read', async () => {
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

  test('When all that was read is not due, then what stands behind it in the file is read, too', async () => {
    const the = open({ items: 2, bytes: 20_000 })
    const later = the.state.now + 5_000
    await the.accept(...Array.from({ length: 5 }, () => the.about(null, { notBefore: later })), the.about(null))
    const claims = await the.claim()
    expect([callsOf(claims), claims.wakeAt]).toEqual([[[6]], later])
  })

  test('When there is room for no call, then nothing goes out, and the lane says when the next is due', async () => {
    const the = open({ items: 2, bytes: 20_000 })
    await the.accept(...Array.from({ length: 5 }, () => the.about(null, { notBefore: the.state.now + 5_000 })))
    expect(await the.claim(SHOP, { calls: 0 })).toEqual({ calls: [], wakeAt: the.state.now + 5_000 })
    expect(the.asked.filter((one) => one === 'load')).toHaveLength(1)
  })

  test('When yielding ones must leave a call free, then the claim says so, and else it says nothing of it', async () => {
    const the = open()
    await the.accept(the.about(null), the.about(null, { yields: true }))
    expect(await the.claim(SHOP, { yielding: 1 })).toMatchObject({ calls: [{}], yieldingLeft: true })
    expect(await the.claim(SHOP, { yielding: 1 })).not.toHaveProperty('yieldingLeft')
  })

  test('When all is forgotten while the file is read, then it is read again, from its beginning', async () => {
    const the = open()
    await the.accept(the.about('a'))
    let resets = 0
    the.state.gate = async (methods) => {
      if (methods.includes('load') && resets++ === 0) the.lanes.reset()
    }
    expect(callsOf(await the.claim())).toEqual([[1]])
    expect(the.asked.filter((one) => one === 'load')).toHaveLength(2)
  })

  test('When the writer has no time for all of it at once, then a claim has all of it, which is read bit by bit', async () => {
    let now = 0
    const the = open(undefined, () => {
      now += 10
      return now
    })
    await the.accept(the.about('a'), the.about('b'), the.about('c'))
    expect(callsOf(await the.claim())).toEqual([[1], [2], [3]])
    expect(the.asked.filter((one) => one === 'load')).toHaveLength(4)
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

  test('When a person took one out behind its back, then it does not go, and the rest of its call does', async () => {
    const the = open()
    const together = { batch: 'b', once: true }
    await the.accept(the.about('a', together), the.about('b', together), the.about('a', { once: true }))
    await the.claim()
    the.state.now += 1_000
    the.db.exec(`update deliveries set state = 'skipped' where id = 1`)
    expect(callsOf(await the.claim())).toEqual([[2]])
    expect(callsOf(await the.claim())).toEqual([[3]])
  })

  test('When all of a call were taken out, then there is no such call', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }))
    await the.claim(BUS)
    await the.claim(SHOP, { calls: 0 })
    the.db.exec(`update deliveries set state = 'skipped'`)
    expect(await the.claim()).toEqual({ calls: [], wakeAt: null })
  })
})

describe('what comes back', () => {
  test('When results are written, then the lane is woken if it has more, or waits for a time; else it is not', async () => {
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

  test('When a person decided about one meanwhile, then its result changes nothing, and its next goes', async () => {
    const the = open()
    await the.accept(the.about('a'), the.about('a'))
    const { calls } = await the.claim()
    the.db.exec(`update deliveries set state = 'skipped' where id = 1`)
    expect(await the.settle(calls.flat(), FAILED)).toEqual([false])
    expect(callsOf(await the.claim())).toEqual([[2]])
  })

  test('When a claim is settled twice, or for another delivery, then that counts for nothing', async () => {
    const the = open()
    await the.accept(the.about('a'), the.about('b'))
    const [a, b] = (await the.claim()).calls.flat()
    if (!a || !b) throw new Error('Two were due.')
    const result = settlement(a, DELIVERED, the.state.now)
    expect(
      the.lanes.settling([
        { ...result, delivery: b.delivery.id },
        { ...result, fence: -1 },
      ]),
    ).toEqual([])
    expect(the.lanes.settling([result, result])).toEqual([result])
    // While it is being written nobody else may; if that fails, it is out again.
    expect(the.lanes.settling([result])).toEqual([])
    the.lanes.notSettled([result])
    expect(the.lanes.settling([result])).toEqual([result])
    expect(the.lanes.settled([result], [true])).toEqual([true])
    the.lanes.notSettled([result])
    expect([the.lanes.settling([result]), the.lanes.settled([result], [true])]).toEqual([[], [true]])
  })

  test('When the first try delivered it, then that is known; after a failure, it is not', async () => {
    const the = open()
    await the.accept(the.about('a'))
    const [one] = (await the.claim()).calls.flat()
    if (!one) throw new Error('One was due.')
    const atOnce = (outcome: typeof DELIVERED | typeof FAILED | typeof REFUSED, claim = one) => {
      const results = the.lanes.settling([settlement(claim, outcome, the.state.now)])
      const [as] = the.lanes.withAtOnce(results)
      the.lanes.notSettled(results)
      return as?.atOnce
    }
    expect([atOnce(DELIVERED), atOnce(FAILED), atOnce(REFUSED)]).toEqual([true, false, false])
    await the.settle([one], FAILED)
    the.state.now += 3_600_000
    const [again] = (await the.claim()).calls.flat()
    expect(atOnce(DELIVERED, again)).toBe(false)
    expect(the.lanes.withAtOnce([settlement(one, DELIVERED, the.state.now)])).toMatchObject([{ atOnce: false }])
  })

  test('When some results are of compared ones, then the destination of each is told; when none is, then nothing', async () => {
    const the = open()
    await the.accept(the.about('a', { digest: 'd' }), the.about('b'))
    const claims = (await the.claim()).calls.flat()
    const results = the.lanes.settling(claims.map((one) => settlement(one, DELIVERED, the.state.now)))
    expect(the.lanes.digested(results)).toEqual(['shop', null])
    expect(the.lanes.digested(results.slice(1))).toBeNull()
    expect(the.lanes.digested([])).toBeNull()
  })

  test('When claims are given back, then the mark of those on the wire is taken off, and they go out again', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }), the.about('b'))
    const fences = (await the.claim()).calls.flat().map(({ fence }) => fence)
    const states = () => the.db.prepare('select state, open from deliveries order by id').all()
    expect(states()).toEqual([
      { state: 'claimed', open: 1 },
      { state: 'waiting', open: 0 },
    ])
    await the.lanes.release(fences)
    expect(states()).toEqual([
      { state: 'waiting', open: 0 },
      { state: 'waiting', open: 0 },
    ])
    expect(callsOf(await the.claim())).toEqual([[1], [2]])
    the.asked.length = 0
    await the.lanes.release(fences)
    expect(the.asked).toEqual([])
  })

  test('When the disk fails while they are given back, then they are out as before, and can be settled', async () => {
    const the = open()
    await the.accept(the.about('a', { once: true }))
    const claims = (await the.claim()).calls.flat()
    the.state.gate = async (methods) => {
      if (methods.includes('offWire')) throw new Error('the disk is gone')
    }
    await expect(the.lanes.release(claims.map(({ fence }) => fence))).rejects.toThrow('The store has stopped.')
    the.state.gate = async () => {}
    expect(callsOf(await the.claim())).toEqual([])
    expect(await the.settle(claims, DELIVERED)).toEqual([true])
  })
})
