import { describe, expect, test } from 'vitest'
import type { Room } from '../../../../src/store/claim.ts'
import type { Item } from '../../../../src/store/sqlite/lanes/item.ts'
import { createQueue } from '../../../../src/store/sqlite/lanes/queue.ts'
import { idsOf, item, NOW, roomFor } from './items.ts'

/** A queue that holds these, and all that there is in the file. */
function queueOf(...items: Item[]) {
  const queue = createQueue({ items: 10, bytes: 10_000 })
  queue.filled(0, items, true, NOW)
  return withTake(queue)
}

function withTake(queue: ReturnType<typeof createQueue>) {
  return {
    ...queue,
    /** The calls that are taken, by the ids of their deliveries. */
    take: (now = NOW, room: Parameters<typeof roomFor>[0] = {}) => queue.take(now, roomFor(room)).calls.map(idsOf),
    takeAll: (now: number, room: Room) => queue.take(now, room),
  }
}

/** What an attempt made of a delivery. */
function result(state: 'waiting' | 'held' | 'delivered' | 'dead', dueAt = NOW) {
  return { state, dueAt, tries: 2, finds: 1, failingSince: NOW - 5, open: true, why: null }
}

const BATCH = { items: 3, bytes: 1_000, linger: 100 }

describe('what is taken', () => {
  test('When there is room for so many calls, then so many are taken, the oldest first, and each once', () => {
    const queue = queueOf(item({ id: 1 }), item({ id: 2 }), item({ id: 3 }))
    expect(queue.take(NOW, { calls: 0 })).toEqual([])
    expect(queue.take(NOW, { calls: 2 })).toEqual([[1], [2]])
    expect(queue.hasMore()).toBe(true)
    expect(queue.take()).toEqual([[3]])
    expect([queue.take(), queue.hasMore()]).toEqual([[], false])
  })

  test('When nothing was read yet, then the lane wants all from the beginning, and may have more than it knows', () => {
    const queue = createQueue({ items: 10, bytes: 10_000 })
    expect(queue.wants()).toEqual({ round: 0, after: { event: 0, delivery: 0 }, items: 10, bytes: 10_000 })
    expect(queue.hasMore()).toBe(true)
  })

  test('When there is room for so many bytes, then no more are taken, but one goes whatever its size', () => {
    const sized = (...sizes: number[]) => queueOf(...sizes.map((size, n) => item({ id: n + 1, size })))
    expect(sized(400, 600, 1).take(NOW, { bytes: 1_000 })).toEqual([[1], [2]])
    expect(sized(400, 601).take(NOW, { bytes: 1_000 })).toEqual([[1]])
    expect(sized(5_000, 1).take(NOW, { bytes: 1_000 })).toEqual([[1]])
  })

  test('When nothing is left but what lets others go first, then it goes, and leaves calls free', () => {
    const patient = (id: number) => item({ id, yields: true })
    const queue = queueOf(patient(1), patient(2), item({ id: 3 }), patient(4))
    expect(queue.takeAll(NOW, roomFor({ yielding: 2 }))).toMatchObject({
      calls: [[{ delivery: { id: 3 } }], [{ delivery: { id: 1 } }]],
      yieldingLeft: true,
    })
    expect(queue.takeAll(NOW, roomFor({ yielding: 2 }))).toMatchObject({
      calls: [[{ delivery: { id: 2 } }], [{ delivery: { id: 4 } }]],
      yieldingLeft: false,
    })
    // More than yielding ones may have are no reason to say so where none of them waits.
    expect(queueOf(item({ id: 1 }), item({ id: 2 })).takeAll(NOW, roomFor({ yielding: 1 }))).toMatchObject({
      calls: [{}, {}],
      yieldingLeft: false,
    })
  })

  test('When those that let others go first take their turn, then the oldest goes first, whoever it is', () => {
    const four = () =>
      queueOf(item({ id: 1 }), item({ id: 2, yields: true }), item({ id: 3 }), item({ id: 4, yields: true }))
    expect(four().take(NOW, { inTurn: true })).toEqual([[1], [2], [3], [4]])
    expect(four().take(NOW, { inTurn: false })).toEqual([[1], [3], [2], [4]])
    expect(queueOf(item({ id: 1 })).take(NOW, { inTurn: true })).toEqual([[1]])
    // Those that do not yield leave no call free for it.
    expect(four().take(NOW, { inTurn: true, yielding: 0 })).toEqual([[1]])
    expect(four().take(NOW, { inTurn: true, yielding: 2 })).toEqual([[1], [2], [3]])
  })

  test('When not all is read that could be, then what lets others go first waits, and so does a batch that is not full', () => {
    const queue = withTake(createQueue({ items: 10, bytes: 10_000 }))
    queue.filled(0, [item({ id: 1, yields: true }), item({ id: 2, batch: 'b' })], false, NOW)
    expect(queue.take(NOW + 100, { batch: BATCH })).toEqual([])
    expect(queue.hasMore()).toBe(true)
    queue.filled(0, [], true, NOW)
    expect(queue.take(NOW + 100, { batch: BATCH })).toEqual([[2], [1]])
  })

  test('When memory holds no more, then what it holds goes out, though more is in the file', () => {
    const queue = withTake(createQueue({ items: 1, bytes: 10_000 }))
    queue.filled(0, [item({ id: 1, yields: true }), item({ id: 2 })], false, NOW)
    expect(queue.wants()).toBeNull()
    expect(queue.take()).toEqual([[2], [1]])
    expect(queue.wants()).not.toBeNull()
    const full = withTake(createQueue({ items: 1, bytes: 10_000 }))
    full.filled(
      0,
      [item({ id: 1, batch: 'b' }), item({ id: 2, entity: 'a' }), item({ id: 3, entity: 'a' })],
      false,
      NOW,
    )
    expect(full.take(NOW + 100, { batch: BATCH })).toEqual([[1], [2]])
  })
})

describe('what a clock that was ahead has dated', () => {
  const AHEAD = NOW + 7_200_000
  const cameAhead = (id: number, given: Partial<Item> = {}) => {
    const one = item({ id })
    return { ...one, event: { ...one.event, receivedAt: AHEAD }, dueAt: AHEAD, ...given }
  }
  const triedAhead = (id: number): Item => {
    const one = item({ id })
    return { ...one, delivery: { ...one.delivery, firstTriedAt: AHEAD - 60_000 }, dueAt: AHEAD }
  }

  test('When it was due at once then, or tried then, then it goes out at once, and what has a time of its own waits for that', () => {
    const planned = cameAhead(3, { dueAt: AHEAD + 1 })
    const queue = queueOf(cameAhead(1), triedAhead(2), planned)
    expect(queue.take()).toEqual([[1], [2]])
    expect(queue.take(AHEAD + 1)).toEqual([[3]])
  })

  test('When the clock is put back while it waits, then it goes out, too', () => {
    const queue = withTake(createQueue({ items: 10, bytes: 10_000 }))
    queue.filled(0, [item({ id: 1 })], true, AHEAD)
    const [[first] = []] = queue.takeAll(AHEAD, roomFor({})).calls
    queue.settled(first as Item, result('waiting', AHEAD + 300_000), AHEAD, AHEAD)
    expect(queue.take(AHEAD + 1)).toEqual([])
    expect(queue.take(NOW)).toEqual([[1]])
  })

  test('When it fails again once the clock is right, then it waits as long as any other', () => {
    for (const one of [cameAhead(1), triedAhead(1)]) {
      const queue = queueOf(one)
      const [[first] = []] = queue.takeAll(NOW, roomFor({})).calls
      queue.settled(first as Item, result('waiting', NOW + 300_000), NOW, NOW)
      expect(queue.take(NOW + 299_999)).toEqual([])
      expect(queue.take(NOW + 300_000)).toEqual([[1]])
    }
  })
})

describe('the line of an entity', () => {
  test('When an entity has several, then the next goes when the one before it is done', () => {
    const [a1, a2] = [item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' })]
    const queue = queueOf(a1, a2)
    expect([queue.take(), queue.take()]).toEqual([[[1]], []])
    expect([queue.isClaimed(1), queue.isClaimed(2), queue.claimedOf('a') === a1]).toEqual([true, false, true])
    queue.settled(a1, result('delivered'), NOW, NOW)
    expect([queue.isClaimed(1), queue.claimedOf('a')]).toEqual([false, null])
    expect(queue.take()).toEqual([[2]])
  })

  test('When an older one comes while a newer one waits, then the older one goes first', () => {
    const queue = queueOf(item({ id: 2, entity: 'a' }), item({ id: 3 }))
    queue.append(item({ id: 4, entity: 'a', event: 1 }), NOW)
    expect([queue.take(), queue.take()]).toEqual([[[3], [4]], []])
  })

  test('When an older one comes while a newer one is out, then it waits until that is back', () => {
    const a2 = item({ id: 2, entity: 'a' })
    const queue = queueOf(a2)
    queue.take()
    queue.append(item({ id: 3, entity: 'a', event: 1 }), NOW)
    expect(queue.take()).toEqual([])
    queue.giveBack(a2, NOW)
    expect([queue.take(), queue.take()]).toEqual([[[3]], []])
  })

  test('When an older one comes while a newer one waits for its time, then its time does not let the newer one pass', () => {
    const [a2, a3] = [item({ id: 2, entity: 'a', notBefore: NOW + 10 }), item({ id: 3, entity: 'a', event: 1 })]
    const queue = queueOf(a2)
    queue.append(a3, NOW)
    expect(queue.take(NOW + 10)).toEqual([[3]])
    expect(queue.take(NOW + 10)).toEqual([])
    queue.settled(a3, result('delivered'), NOW + 10, NOW + 10)
    expect(queue.take(NOW + 10)).toEqual([[2]])
  })

  test('When one that lets others go first has one behind it that does not, then it goes before those that do', () => {
    const queue = queueOf(item({ id: 1, yields: true }), item({ id: 2, entity: 'a', yields: true }))
    queue.append(item({ id: 3, entity: 'a' }), NOW)
    expect(queue.take()).toEqual([[2], [1]])
  })

  test('When another joins the line, then whoever is before it keeps its turn', () => {
    const queue = queueOf(
      item({ id: 1, entity: 'a' }),
      item({ id: 2 }),
      item({ id: 3, entity: 'b', yields: true }),
      item({ id: 4, yields: true }),
    )
    queue.append(item({ id: 5, entity: 'a' }), NOW)
    queue.append(item({ id: 6, entity: 'b', yields: true }), NOW)
    expect(queue.take()).toEqual([[1], [2], [3], [4]])
  })
})

describe('time', () => {
  test('When one is not due yet, then the lane wakes for it, and it goes from that instant on', () => {
    const queue = queueOf(item({ id: 1, notBefore: NOW + 20 }), item({ id: 2, notBefore: NOW + 10 }))
    expect(queue.nextAt(NOW, BATCH)).toBe(NOW + 10)
    expect(queue.take(NOW + 9)).toEqual([])
    expect(queue.take(NOW + 10)).toEqual([[2]])
    expect(queue.nextAt(NOW + 10, BATCH)).toBe(NOW + 20)
    expect(queue.take(NOW + 20)).toEqual([[1]])
    expect(queue.nextAt(NOW + 20, BATCH)).toBeNull()
  })

  test('When a batch gathers, too, then the lane wakes for whatever is first', () => {
    expect(queueOf(item({ id: 1, batch: 'b' }), item({ id: 2, notBefore: NOW + 500 })).nextAt(NOW, BATCH)).toBe(
      NOW + 100,
    )
    expect(queueOf(item({ id: 1, batch: 'b' }), item({ id: 2, notBefore: NOW + 50 })).nextAt(NOW, BATCH)).toBe(NOW + 50)
  })

  test('When one waits for longer than a second, then its body is given back meanwhile', () => {
    const [soon, late] = [item({ id: 1, notBefore: NOW + 1_000 }), item({ id: 2, notBefore: NOW + 1_001 })]
    queueOf(soon, late)
    expect([soon.body === null, late.body === null]).toEqual([false, true])
  })

  test('When one fails, then it waits for its time with what is known of it, and its next waits with it', () => {
    const [a1, a2] = [item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' })]
    const queue = queueOf(a1, a2)
    queue.take()
    queue.settled(a1, result('waiting', NOW + 1_000), NOW, NOW)
    expect(a1.delivery).toMatchObject({ tries: 2, finds: 1, failingSince: NOW - 5, firstTriedAt: NOW, open: true })
    expect([a1.body === null, a2.body === null]).toEqual([false, false])
    expect([queue.take(NOW + 999), queue.nextAt(NOW, BATCH)]).toEqual([[], NOW + 1_000])
    expect(queue.take(NOW + 1_000)).toEqual([[1]])
    queue.settled(a1, result('waiting', NOW + 2_001), NOW + 1_000, NOW + 1_000)
    expect(a1.delivery.firstTriedAt).toBe(NOW)
    expect([a1.body, a2.body]).toEqual([null, null])
  })

  test('When one is held, then neither it nor its next goes, whatever time it is, and their bodies are given back', () => {
    const [a1, a2] = [item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' })]
    const queue = queueOf(a1, a2)
    queue.take()
    queue.settled(a1, result('held'), NOW, NOW)
    expect([a1.body, a2.body]).toEqual([null, null])
    expect([queue.take(NOW + 1_000_000), queue.nextAt(NOW, BATCH), queue.isClaimed(1)]).toEqual([[], null, false])
  })

  test('When those without an entity fail, then each waits for its own time only', () => {
    const [one, two] = [item({ id: 1 }), item({ id: 2 })]
    const queue = queueOf(one, two)
    queue.take()
    queue.settled(one, result('waiting', NOW + 10), NOW, NOW)
    queue.settled(two, result('waiting'), NOW, NOW)
    expect([queue.take(), queue.take(NOW + 10)]).toEqual([[[2]], [[1]]])
  })
})

describe('what comes back', () => {
  test('When one is given back, then it goes again, with its body unless it is one that can wait', () => {
    const [one, patient] = [item({ id: 1 }), item({ id: 2, yields: true })]
    const queue = queueOf(one, patient)
    queue.take()
    expect([one.state, patient.state]).toEqual(['claimed', 'claimed'])
    patient.body = new Uint8Array(100)
    queue.giveBack(one, NOW)
    queue.giveBack(patient, NOW)
    expect([one.body?.byteLength, patient.body]).toEqual([100, null])
    expect(queue.take()).toEqual([[1], [2]])
  })

  test('When one is dropped, then it does not go again, and its next goes', () => {
    const a1 = item({ id: 1, entity: 'a' })
    const queue = queueOf(a1, item({ id: 2, entity: 'a' }))
    queue.take()
    queue.dropped(a1, NOW)
    expect([queue.take(), queue.isClaimed(1)]).toEqual([[[2]], false])
  })

  test('When all is forgotten while some are out, then those are not handed out again before they are back', () => {
    const [a1, a2, own] = [item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' }), item({ id: 3, own: true })]
    const queue = queueOf(a1, a2, own)
    expect(queue.take()).toEqual([[1], [3]])
    queue.reset()
    expect(queue.filled(0, [item({ id: 4 })], true, NOW)).toBe(false)
    expect(queue.wants()).toMatchObject({ round: 1, after: { event: 0, delivery: 0 } })
    const again = [item({ id: 1, entity: 'a' }), item({ id: 2, entity: 'a' }), item({ id: 3, own: true })]
    expect(queue.filled(1, again, true, NOW)).toBe(true)
    expect(queue.take()).toEqual([])
    queue.giveBack(a1, NOW)
    queue.giveBack(own, NOW)
    expect([queue.take(), queue.take()]).toEqual([[[1], [3]], []])
  })

  test('When one comes back after all was forgotten, then it is taken up where it is read', () => {
    const [a1, own] = [item({ id: 1, entity: 'a' }), item({ id: 2, own: true })]
    const queue = queueOf(a1, own)
    queue.take()
    queue.reset()
    queue.giveBack(a1, NOW)
    queue.giveBack(own, NOW)
    expect(queue.take()).toEqual([])
    queue.filled(1, [item({ id: 1, entity: 'a' }), item({ id: 2, own: true })], true, NOW)
    expect([queue.take(), queue.take()]).toEqual([[[1], [2]], []])
  })

  test('When one comes back that was forgotten, then its next goes, if that has been read', () => {
    const a1 = item({ id: 1, entity: 'a' })
    const queue = queueOf(a1)
    queue.take()
    queue.reset()
    // A person took the first one out meanwhile: it is not read again.
    queue.filled(1, [item({ id: 2, entity: 'a' }), item({ id: 3, entity: 'a' })], true, NOW)
    expect(queue.take()).toEqual([])
    queue.giveBack(a1, NOW)
    expect(queue.take()).toEqual([[2]])
  })

  test('When one is done that was forgotten, then nobody leaves the line in its place', () => {
    const a1 = item({ id: 1, entity: 'a' })
    const [a2, a3] = [item({ id: 2, entity: 'a' }), item({ id: 3, entity: 'a' })]
    const queue = queueOf(a1)
    queue.take()
    queue.reset()
    queue.filled(1, [a2, a3], true, NOW)
    queue.settled(a1, result('delivered'), NOW, NOW)
    expect(queue.take()).toEqual([[2]])
    queue.settled(a2, result('dead'), NOW, NOW)
    expect(queue.take()).toEqual([[3]])
  })

  test('When all is forgotten, then nothing of it goes out, neither what was due nor what waited for its time', () => {
    const queue = queueOf(item({ id: 1 }), item({ id: 2, entity: 'a', notBefore: NOW + 10 }))
    queue.reset()
    expect([queue.take(NOW + 10), queue.nextAt(NOW, BATCH), queue.hasMore()]).toEqual([[], null, true])
    expect(queue.wants()).toMatchObject({ items: 10, bytes: 10_000 })
  })
})
