import { expect } from 'vitest'
import type { Next } from '../../../../src/domain/queue/delivery.ts'
import type { Instant } from '../../../../src/domain/values/instant.ts'
import type { ClaimLimits } from '../../../../src/storage/claim.ts'
import { createQueue, type Item, type QueuePosition, type Window } from '../../../../src/storage/queue/queue.ts'
import { idsOf } from '../items.ts'
import {
  bodyOf,
  type EventRow,
  hashOf,
  insertInOrder,
  isOpen,
  loadedItem,
  locationOf,
  newItem,
  type Row,
  repeatedAt,
} from './file.ts'
import { createModel } from './model.ts'
import type { Step } from './steps.ts'

const START_AT = 1_000_000_000_000

/** A page of the file on its way into memory. */
interface Page {
  asked: { round: number; after: QueuePosition; items: number; bytes: number }
  read: { items: Item[]; last: boolean } | null
}

/** Takes steps with a queue and its model, and compares them after each; then delivers all that can go, `calls` at once. */
export function play(window: Window, steps: readonly Step[], calls: number): void {
  const { step, drain } = createPlay(window)
  for (const one of steps) step(one)
  drain(calls)
}

function createPlay(window: Window) {
  const queue = createQueue(window)
  const rows: Row[] = []
  const events: EventRow[] = []
  const model = createModel(rows, window)
  let now: Instant = START_AT
  let page: Page | null = null
  let deliveries = 0

  const outs = () => rows.filter((row) => row.out !== null)

  function step(one: Step) {
    // The file answers in the order in which it was asked.
    if (page?.read && !['take', 'give back', 'pass', 'reset', 'arrive', 'ask', 'read'].includes(one.do)) arrive()
    perform(one)
    compare()
  }

  function perform(one: Step) {
    switch (one.do) {
      case 'accept':
        return accept(one)
      case 'ask':
        return ask()
      case 'read':
        return read(one.most)
      case 'arrive':
        return arrive()
      case 'load':
        ask()
        read(one.most)
        return arrive()
      case 'take':
        return take(one)
      case 'end':
        return end(pick(outs(), one.nth), one)
      case 'give back':
        return giveBack(pick(outs(), one.nth))
      case 'drop':
        return drop(pick(outs(), one.nth))
      case 'supersede':
        return supersede(
          pick(
            rows.filter(({ state }) => ['waiting', 'dead', 'skipped'].includes(state)),
            one.nth,
          ),
        )
      case 'command':
        return command(one)
      case 'tell':
        return tell(pick(rows.filter(isOpen), one.nth))
      case 'refresh':
        return refresh(one)
      case 'reset':
        return reset()
      case 'pass':
        now = Math.max(1, now + one.ms)
    }
  }

  function accept({
    event: old,
    receivedAgo,
    size,
    isElsewhere,
    isForeign,
    ...given
  }: Extract<Step, { do: 'accept' }>) {
    const isLate = old !== null && events.length > 0
    const event = (isLate && pick(events, old)) || {
      ...{ id: events.length + 1, receivedAt: now - receivedAgo, size, version: 1 },
    }
    if (!events.includes(event)) events.push(event)
    const notBefore = given.notBefore === null ? null : now + given.notBefore
    const { entity, flow, batch, effect, yields } = given
    const row: Row = {
      ...{
        id: ++deliveries,
        event,
        entity,
        flow,
        batch,
        effect,
        yields,
        notBefore,
        dueAt: notBefore ?? event.receivedAt,
      },
      ...{ state: isElsewhere ? 'elsewhere' : 'waiting', tries: 0, firstTriedAt: null },
      ...{ isTold: !isForeign, known: null, out: null },
    }
    insertInOrder(rows, row)
    if (!isElsewhere && !isForeign) append(row, newItem(row), now)
  }

  function append(row: Row, item: Item, at: Instant) {
    const before = model.count()
    model.append(row, item, at)
    queue.append(item, at)
    const after = model.count()
    if (after.kept <= before.kept) return
    expect(before.kept, 'more was added to a window that was overfull').toBeLessThan(2 * 5 * window.items)
    expect(before.bytes, 'more was added to a window that was overfull').toBeLessThan(2 * window.bytes)
  }

  /** Another hub wrote it, or it is told again. */
  function tell(row: Row | undefined) {
    if (!row) return
    row.isTold = true
    append(row, loadedItem(row), Math.min(row.dueAt, now))
  }

  function ask() {
    const asked = page ? null : queue.wants()
    if (asked) page = { asked, read: null }
  }

  /** `most`: so many, then its time is over. */
  function read(most: number) {
    if (!page || page.read) return
    const { asked } = page
    const items: Item[] = []
    let size = 0
    for (const row of rows) {
      if (!isOpen(row) || !isAfter(row, asked.after)) continue
      items.push(loadedItem(row))
      size += row.event.size
      if (items.length === asked.items || items.length === most || size >= asked.bytes) {
        page.read = { items, last: false }
        return
      }
    }
    page.read = { items, last: true }
  }

  function arrive() {
    if (!page?.read) return
    const { asked, read } = page
    page = null
    const before = model.count()
    const isOfRound = model.isOfRound(asked.round)
    expect(queue.filled(asked.round, read.items, read.last, now)).toBe(isOfRound)
    if (!isOfRound) return
    for (const item of read.items) {
      const row = rows.find(({ id }) => id === item.delivery.id)
      if (row) {
        row.isTold = true
        model.add(row, item, now)
      }
    }
    model.readTo(read.last)
    const after = model.count()
    expect(after.kept, 'more was read than asked for').toBeLessThanOrEqual(before.kept + 5 * asked.items)
    expect(after.bytes, 'more was read than asked for').toBeLessThan(before.bytes + asked.bytes + 1_000)
  }

  function take(room: ClaimLimits) {
    const { calls, yieldingLeft } = queue.take(now, room)
    const expected = model.take(now, room)
    expect({ calls: calls.map(idsOf), yieldingLeft }).toEqual({
      calls: expected.calls.map((call) => call.map(({ id }) => id)),
      yieldingLeft: expected.yieldingLeft,
    })
    for (const call of expected.calls) checkBatch(call, room.batch)
    for (const [row, item] of zip(expected.calls.flat(), calls.flat())) handOut(row, item)
    const nextAt = queue.nextAt(now, room.batch)
    if (nextAt !== null) expect(nextAt, 'nextAt is over').toBeGreaterThan(now)
    const goesAt = model.nextAt(now, room.batch)
    if (goesAt !== null) expect(nextAt ?? Number.POSITIVE_INFINITY, 'nextAt').toBeLessThanOrEqual(goesAt)
  }

  function checkBatch(call: Row[], { items, bytes }: ClaimLimits['batch']) {
    const [first] = call
    expect(new Set(call.map(({ flow, batch }) => `${flow} ${batch}`)).size).toBe(1)
    if (first?.batch === null) expect(call).toHaveLength(1)
    if (call.length === 1) return
    expect(call.length).toBeLessThanOrEqual(items)
    expect(call.reduce((size, { event }) => size + event.size, 0)).toBeLessThanOrEqual(bytes)
  }

  /** What holds whatever the queue has in memory, by the file. */
  function handOut(row: Row, item: Item) {
    expect(row.out, `${row.id} is handed out twice`).toBeNull()
    expect(row.state).toBe('waiting')
    if (row.entity !== null) {
      const line = rows.filter((other) => other.entity === row.entity)
      expect(line.find((other) => other.out)?.id, `${row.entity} is out twice`).toBeUndefined()
      expect(line.find((other) => isOpen(other) && other.isTold)?.id, `${row.entity} is not in its order`).toBe(row.id)
    }
    const { tries, firstTriedAt } = row
    expect(item.delivery).toMatchObject({ id: row.id, entity: row.entity, tries, firstTriedAt })
    expect(item.dueAt).toBe(row.known?.dueAt)
    expect(item.event.bodyHash).toBe(hashOf(row.event))
    expect(item.size).toBe(row.event.size)
    // As the claim does with those that were not kept.
    item.body ??= bodyOf(row.event)
    expect([item.body.byteLength, item.body[0]]).toEqual([row.event.size, row.event.version])
    row.out = { item, at: now }
  }

  function end(row: Row | undefined, { as, in: later }: { as: 'delivered' | 'retry' | 'held' | 'dead'; in: number }) {
    if (!row?.out) return
    const { item, at } = row.out
    const isWritten = row.state === 'waiting' || (row.state === 'superseded' && as === 'delivered')
    if (!isWritten) {
      const again = queue.dropped(item, now)
      return leave(row, again)
    }
    const result: Next = {
      ...{ state: as === 'retry' ? 'waiting' : as, dueAt: as === 'retry' ? now + later : now, why: null },
      ...{ tries: item.delivery.tries + 1, finds: 0, failingSince: null, open: false },
    }
    const again = queue.settled(item, result, at, now)
    row.state = result.state
    if (as === 'delivered' || as === 'dead') return leave(row, again)
    row.dueAt = result.dueAt
    row.tries = result.tries
    row.firstTriedAt ??= at
    if (row.known) Object.assign(row.known, { dueAt: repeatedAt(result.dueAt, at, now), timedAt: now })
    row.out = null
    sync(again)
    if (as === 'held' && row.known) expect(item.body, 'a held one keeps its body').toBeNull()
  }

  function giveBack(row: Row | undefined) {
    if (!row?.out) return
    queue.giveBack(row.out.item, now)
    if (row.state === 'superseded') return leave(row)
    row.out = null
    model.sync(now)
  }

  /** It was proven delivered meanwhile. */
  function drop(row: Row | undefined) {
    if (!row?.out) return
    const again = queue.dropped(row.out.item, now)
    if (isOpen(row)) row.state = 'delivered'
    leave(row, again)
  }

  function leave(row: Row, again = true) {
    row.out = null
    row.known = null
    sync(again)
  }

  function sync(again: boolean) {
    model.sync(now)
    if (!again) expect(model.hasMore(), 'nothing would wake the queue').toBe(false)
  }

  function supersede(row: Row | undefined) {
    if (!row) return
    row.state = 'superseded'
    if (row.entity === null) return reset()
    queue.ended(row.entity, row.id, now)
    if (!row.out) row.known = null
    model.sync(now)
  }

  function command({ nth, what, isOut, yields }: Extract<Step, { do: 'command' }>) {
    const meant = rows.filter(({ state }) => STATES[what].includes(state))
    const row = pick(isOut ? meant.filter(({ out }) => out) : meant, nth)
    if (!row) return
    row.state = NEXT[what]
    if (what === 'retry' || what === 'release') Object.assign(row, { dueAt: now, tries: 0 })
    if (what === 'retry') row.yields = yields
    reset()
  }

  function reset() {
    queue.reset()
    model.reset()
  }

  function refresh({ nth, size }: Extract<Step, { do: 'refresh' }>) {
    const isActedOn = ({ state, firstTriedAt, out }: Row) =>
      state !== 'waiting' || firstTriedAt !== null || out !== null
    const sparse = events.filter(
      (event) => !rows.some((row) => row.event === event && isActedOn(row)) && event.version < 200,
    )
    const event = pick(sparse, nth)
    if (!event) return
    event.version += 1
    event.size = size
    queue.refresh(event.id, { body: bodyOf(event), bodyHash: hashOf(event), subscription: 'all', entity: null })
  }

  function compare() {
    expect(queue.wants()).toEqual(model.wants())
    const out = outs()
    expect(rows.filter(({ id }) => queue.isClaimed(id))).toEqual(out)
    expect(rows.filter((row) => queue.takes(locationOf(row)))).toEqual(rows.filter(model.takes))
    for (const row of out) expect(row.out?.item.body, 'one that is out lost its body').not.toBeNull()
  }

  /** Delivers all that can go, so many calls at once, while time goes on. */
  function drain(calls: number) {
    const room = { calls, yielding: calls, bytes: 1_000_000, batch: { items: 10, bytes: 1_000, linger: 100 } }
    for (let rounds = 0; ; rounds += 1) {
      expect(rounds, 'it never ends').toBeLessThan(5_000)
      for (const row of outs()) step({ do: 'end', nth: outs().indexOf(row), as: 'delivered', in: 0 })
      step({ do: 'arrive', most: 0 })
      for (const row of rows) if (isOpen(row) && !row.isTold) tell(row)
      step({ do: 'take', ...room })
      if (outs().length > 0) continue
      if (queue.wants()) {
        step({ do: 'load', most: 100 })
        continue
      }
      const nextAt = queue.nextAt(now, room.batch)
      if (nextAt === null) break
      now = nextAt
    }
    const stuck = rows.filter((row) => row.state === 'waiting' && !isBehindHeld(row))
    expect(stuck.map(({ id }) => id)).toEqual([])
  }

  function isBehindHeld(row: Row): boolean {
    if (row.entity === null) return false
    return rows.slice(0, rows.indexOf(row)).some((other) => other.entity === row.entity && other.state === 'held')
  }

  return { step, drain }
}

type Command = Extract<Step, { do: 'command' }>['what']

const STATES: Readonly<Record<Command, readonly Row['state'][]>> = {
  retry: ['waiting', 'held', 'dead', 'skipped'],
  release: ['held'],
  skip: ['waiting', 'held', 'dead'],
  'move out': ['waiting', 'held', 'dead'],
  'move in': ['elsewhere'],
}

const NEXT: Readonly<Record<Command, Row['state']>> = {
  retry: 'waiting',
  release: 'waiting',
  skip: 'skipped',
  'move out': 'elsewhere',
  'move in': 'waiting',
}

function pick<T>(some: readonly T[], nth: number): T | undefined {
  return some[nth % some.length]
}

function zip<A, B>(some: readonly A[], others: readonly B[]): [A, B][] {
  return some.flatMap((one, n): [A, B][] => {
    const other = others[n]
    return other === undefined ? [] : [[one, other]]
  })
}

function isAfter(row: Row, { event, delivery }: QueuePosition): boolean {
  const at = locationOf(row)
  return at.event === event ? at.delivery > delivery : at.event > event
}
