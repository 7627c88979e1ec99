import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Claim, createStrands, type Settlement, schema, type Transaction } from './strands.ts'

/*
 * The proof behind docs/adr/0003-strands.md: the strand queries keep the order per entity.
 *
 * What runs here is PostgreSQL compiled to WebAssembly (PGlite). It has one connection, so two transactions are never open at
 * once: claimers and writers take turns transaction by transaction; where a late commit matters, it is played by hand. That
 * shows that leases, fences and heads are right in any order of commits. It does not show row locks at work: that SKIP LOCKED
 * passes a strand that another claimer is just taking, that a writer or a settle waits for a strand. The ADR tells what was
 * tried by hand on a server; the issue for the PostgreSQL store runs these stories there with two connections (`pg`).
 */

const LANE = 'shop/prompt'
const LEASE = 30

const pglite = new PGlite()
const strands = createStrands(pglite)

beforeAll(() => pglite.exec(schema))
beforeEach(() => pglite.exec('truncate events, deliveries, strands'))
afterAll(() => pglite.close())

describe('when two claimers take turns over many entities', () => {
  // Another walk every time; a failed one is walked again with STRANDS_SEED=….
  const seed = Number(process.env.STRANDS_SEED ?? Date.now() % 2 ** 31)

  test(`then no entity is ever in two hands, and each is settled in order (STRANDS_SEED=${seed})`, async () => {
    const random = createRandom(seed)
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
    const model = createModel()
    const hands: Claim[][] = [[], []]

    const steps: Record<string, () => Promise<void>> = {
      async accept() {
        const entity = random() < 0.1 ? null : `order:${Math.floor(random() * 8)}`
        const dueIn = random() < 0.2 ? Math.floor(random() * 20) : 0
        model.accepted(await strands.accept({ lane: LANE, entity, body: '', dueIn }), entity, dueIn)
      },
      async claim() {
        const limit = 1 + Math.floor(random() * 4)
        const claims = await strands.claim(LANE, limit, LEASE)
        model.claimed(claims, limit)
        pick(hands)?.push(...claims)
      },
      async settle() {
        const hand = pick(hands) ?? []
        const claim = pick(hand)
        if (!claim) return
        hand.splice(hand.indexOf(claim), 1)
        const settlement = drawSettlement(random)
        const before = await everything()
        const settled = await strands.settle(claim, settlement)
        expect(settled).toBe(model.holds(claim))
        if (settled) model.settled(claim, settlement)
        else expect(await everything()).toEqual(before)
      },
      async wait() {
        const seconds = Math.floor(random() * (random() < 0.4 ? 2 * LEASE : 6))
        await passTime(seconds)
        model.passed(seconds)
      },
      async crash() {
        pick(hands)?.splice(0)
      },
      async decide() {
        const id = pick(model.held())
        if (id === undefined) return
        await retry(id)
        model.retried(id)
      },
    }
    const weighted = ['accept', 'accept', 'accept', 'claim', 'claim', 'settle', 'settle', 'settle', 'wait', 'decide']

    for (let step = 0; step < 800; step++) {
      const name = step % 97 === 96 ? 'crash' : (pick(weighted) ?? 'claim')
      await steps[name]?.()
      expect(await strandsThatAreWrong(), `after step ${step}, ${name}`).toEqual([])
    }

    // Then everybody does their work until nothing is left.
    for (let round = 0; model.open() > 0; round++) {
      expect(round).toBeLessThan(500)
      await passTime(LEASE)
      model.passed(LEASE)
      for (const id of model.held()) {
        await retry(id)
        model.retried(id)
      }
      const claims = await strands.claim(LANE, 100, LEASE)
      model.claimed(claims, 100)
      for (const claim of claims) {
        expect(await strands.settle(claim, { to: 'delivered' })).toBe(true)
        model.settled(claim, { to: 'delivered' })
      }
    }
    model.everyEntityInOrder()
    expect(await rows('select from strands')).toEqual([])
    // A walk that met none of these would prove little.
    expect(model.met()).toEqual(['dead', 'delivered', 'held', 'refused', 'taken over', 'waiting', 'without entity'])
  })
})

describe('when a claimer comes back after its lease ran out', () => {
  test('then the fence refuses it and no row is changed', async () => {
    const id = await accept('order:1', 'create')
    const late = must(await claim())
    await passTime(LEASE)
    const second = must(await claim())
    expect(second).toMatchObject({ id, before: 'claimed' })

    const before = await everything()
    for (const to of ['delivered', 'dead', 'held'] as const) expect(await strands.settle(late, { to })).toBe(false)
    expect(await strands.settle(late, { to: 'waiting', retryIn: 0 })).toBe(false)
    expect(await everything()).toEqual(before)

    expect(await strands.settle(second, { to: 'delivered' })).toBe(true)
    expect(await strands.settle(late, { to: 'waiting', retryIn: 0 })).toBe(false)
    expect(await rows('select state from deliveries')).toEqual([{ state: 'delivered' }])
  })

  test('then it is still believed where nobody has claimed since', async () => {
    await accept('order:1', 'create')
    const late = must(await claim())
    await passTime(10 * LEASE)
    expect(await strands.settle(late, { to: 'delivered' })).toBe(true)
  })

  test('then one settlement counts, however often it is sent', async () => {
    await accept('order:1', 'create')
    const once = must(await claim())
    expect(await strands.settle(once, { to: 'waiting', retryIn: 0 })).toBe(true)
    expect(await strands.settle(once, { to: 'delivered' })).toBe(false)
  })

  // A fence that each strand counts for itself would start again at 1 here, and the late claimer would be believed.
  test('then it is refused even where the strand was deleted and came back', async () => {
    const id = await accept('order:1', 'create')
    const late = must(await claim())
    await passTime(LEASE)
    const second = must(await claim())
    await strands.settle(second, { to: 'dead' })
    expect(await rows('select from strands')).toEqual([])

    await retry(id)
    const third = must(await claim())
    expect(third).toMatchObject({ id, before: 'waiting' })
    expect(await strands.settle(late, { to: 'delivered' })).toBe(false)
    expect(await strands.settle(third, { to: 'delivered' })).toBe(true)
  })
})

describe('when a delivery is accepted while another of its entity is at work', () => {
  test('then it waits, and others pass', async () => {
    await accept('order:1', 'create')
    const first = await claim()
    await accept('order:1', 'cancel')
    await accept('order:2', 'create')
    expect(bodies(first)).toEqual(['create'])
    const other = await claim()
    expect(other.map(({ entity }) => entity)).toEqual(['order:2'])
    await strands.settle(must(other), { to: 'delivered' })

    await strands.settle(must(first), { to: 'waiting', retryIn: 60 })
    expect(await claim()).toEqual([])
    await passTime(60)
    const again = await claim()
    expect(bodies(again)).toEqual(['create'])
    await strands.settle(must(again), { to: 'delivered' })
    expect(bodies(await claim())).toEqual(['cancel'])
  })

  test('then one without entity waits for nothing', async () => {
    for (const body of ['one', 'two', 'three']) await accept(null, body)
    expect(bodies(await claim())).toEqual(['one', 'three', 'two'])
  })
})

describe('when deliveries are claimed directly, without strands', () => {
  const OPEN = "('waiting', 'claimed', 'held')"

  /** The naive query; `filter` lets it look at its neighbours. */
  const claimNaively = (limit: number, filter = '') =>
    rows<{ id: number; body: string }>(
      `update deliveries set state = 'claimed' where id in (
         select id from deliveries d where lane = $1 and state = 'waiting' and due <= hub_now() ${filter}
         order by id limit $2 for update skip locked
       ) returning id, body`,
      [LANE, limit],
    )
  const OLDEST_OF_ITS_ENTITY = `and not exists (
    select from deliveries older
    where older.lane = d.lane and older.entity = d.entity and older.id < d.id and older.state in ${OPEN}
  )`
  const insert = (id: number, body: string) =>
    rows(
      `with event as (insert into events (body) values ($2) returning id)
       insert into deliveries (id, event_id, lane, entity, strand, due, body)
       select $1, event.id, $3, 'order:1', '', hub_now(), $2 from event`,
      [id, body, LANE],
    )

  test('then two claimers hold the same entity at once', async () => {
    await insert(await drawId(), 'create')
    await insert(await drawId(), 'cancel')
    expect(bodies(await claimNaively(1))).toEqual(['create'])
    expect(bodies(await claimNaively(1))).toEqual(['cancel'])
  })

  // A transaction that has drawn its id and commits late looks to all others like an old id that appears late: just that
  // is done here, since one connection cannot hold two transactions open.
  test('then a late commit breaks the order even where only the oldest of an entity is taken', async () => {
    const done: string[] = []
    const work = async () => {
      for (const { id, body } of await claimNaively(1, OLDEST_OF_ITS_ENTITY)) {
        await rows(`update deliveries set state = 'delivered' where id = $1`, [id])
        done.push(body)
      }
    }
    const first = await drawId() //                    writer 1: begin, id drawn
    await insert(await drawId(), 'drawn second') //    writer 2: begin, id drawn, commit
    await work()
    await insert(first, 'drawn first') //              writer 1: commit
    await work()
    expect(done).toEqual(['drawn second', 'drawn first'])
  })
})

describe('when writers of one entity meet, with strands', () => {
  /** Strands whose accept does something more just before the delivery gets its id. */
  const interrupted = (interrupt: (transaction: Transaction) => Promise<void>) =>
    createStrands({
      transaction: (work) =>
        pglite.transaction((transaction) =>
          work({
            async query(sql, parameters) {
              if (sql.includes('insert into deliveries')) await interrupt(transaction)
              return transaction.query(sql, parameters)
            },
          }),
        ),
    })

  test('then an id is drawn only under the lock of its strand', async () => {
    // A row that this very transaction wrote is locked by it: every other writer of it waits for the commit.
    const own = 'select key from strands where xmin::text = pg_current_xact_id()::text'
    const lastId = 'select last_value from deliveries_id_seq'
    for (const body of ['new strand', 'strand there already']) {
      const before = await rows(lastId)
      const watched = interrupted(async (transaction) => {
        expect((await transaction.query(own, [])).rows).toEqual([{ key: 'entity:order:1' }])
        expect((await transaction.query(lastId, [])).rows).toEqual(before)
      })
      await watched.accept({ lane: LANE, entity: 'order:1', body })
      expect(await rows(lastId)).not.toEqual(before)
    }
  })

  test('then they are done in the order of their commits', async () => {
    let second: Promise<number> | undefined
    const first = interrupted(async () => {
      // Writer 2 starts while writer 1 holds the lock. Here PGlite's queue makes it wait; on a server the row lock does.
      second = accept('order:1', 'locked second')
    })
    await first.accept({ lane: LANE, entity: 'order:1', body: 'locked first' })
    await second

    const done: string[] = []
    for (const _ of ['once', 'again']) {
      for (const each of await claim()) {
        await strands.settle(each, { to: 'delivered' })
        done.push(each.body)
      }
    }
    expect(done).toEqual(['locked first', 'locked second'])
  })
})

const accept = (entity: string | null, body: string) => strands.accept({ lane: LANE, entity, body })
const claim = () => strands.claim(LANE, 10, LEASE)
const bodies = (list: { body: string }[]) => list.map(({ body }) => body).sort()
const drawId = async () => must(await rows<{ id: number }>(`select nextval('deliveries_id_seq') as id`)).id
const passTime = (seconds: number) => rows('update test_clock set now = now + make_interval(secs => $1)', [seconds])

/** A person wants a held or dead delivery once more; nothing else of its strand is open. */
async function retry(id: number): Promise<void> {
  await rows(
    `insert into strands (lane, key, due) select lane, strand, hub_now() from deliveries where id = $1
     on conflict (lane, key) do update set due = excluded.due`,
    [id],
  )
  await rows(`update deliveries set state = 'waiting', due = hub_now() where id = $1`, [id])
}

/** Strands and open work say the same: one row for each, with the due time of its head. */
function strandsThatAreWrong(): Promise<unknown[]> {
  return rows(`
    with heads as (
      select distinct on (lane, strand) lane, strand as key, case state when 'held' then 'infinity' else due end as due
      from deliveries where state in ('waiting', 'claimed', 'held') order by lane, strand, id
    )
    select key, heads.due::text as head, strands.due::text as strand
    from heads full join strands using (lane, key) where heads.due is distinct from strands.due`)
}

function everything(): Promise<unknown[]> {
  return rows('select to_jsonb(d) as row from deliveries d union all select to_jsonb(s) from strands s order by 1')
}

async function rows<T>(sql: string, parameters: unknown[] = []): Promise<T[]> {
  return (await pglite.query<T>(sql, parameters)).rows
}

function must<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('nothing there')
  return first
}

function drawSettlement(random: () => number): Settlement {
  const draw = random()
  if (draw < 0.6) return { to: 'delivered' }
  if (draw < 0.85) return { to: 'waiting', retryIn: Math.floor(random() * 40) }
  return { to: draw < 0.95 ? 'held' : 'dead' }
}

/** mulberry32: a small generator that a seed repeats. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What must be true, kept in plain maps, and the expectations of each step of the walk. */
function createModel() {
  interface Open {
    id: number
    due: number
    state: 'waiting' | 'claimed' | 'held'
  }
  const queues = new Map<string, Open[]>()
  const leases = new Map<string, { fence: number; until: number }>()
  const accepted = new Map<string, number[]>()
  const finished = new Map<string, number[]>()
  const met = new Set<string>()
  let now = 0
  let lastFence = 0

  const keyOf = (entity: string | null, id: number) => entity ?? `alone:${id}`
  const queueOf = (key: string) => queues.get(key) ?? []
  const isLeased = (key: string) => (leases.get(key)?.until ?? 0) > now
  const isClaimable = ([key, [head]]: [string, Open[]]) =>
    head !== undefined && head.state !== 'held' && head.due <= now && !isLeased(key)
  const append = (map: Map<string, number[]>, key: string, id: number) => map.set(key, [...(map.get(key) ?? []), id])

  return {
    accepted(id: number, entity: string | null, dueIn: number) {
      const key = keyOf(entity, id)
      append(accepted, key, id)
      queues.set(key, [...queueOf(key), { id, due: now + dueIn, state: 'waiting' }])
    },
    claimed(claims: Claim[], limit: number) {
      expect(claims).toHaveLength(Math.min(limit, [...queues].filter(isClaimable).length))
      const fencesBefore = lastFence
      for (const { id, entity, fence, before } of claims) {
        const key = keyOf(entity, id)
        expect(isLeased(key), `${key} is in two hands`).toBe(false)
        const head = must(queueOf(key))
        expect({ id, before }).toEqual({ id: head.id, before: head.state })
        expect(fence).toBeGreaterThan(fencesBefore)
        if (before === 'claimed') met.add('taken over')
        if (entity === null) met.add('without entity')
        head.state = 'claimed'
        leases.set(key, { fence, until: now + LEASE })
        lastFence = Math.max(lastFence, fence)
      }
    },
    /** Is this claim the last one of its strand, and not settled yet? */
    holds({ id, entity, fence }: Claim): boolean {
      const held = leases.get(keyOf(entity, id))?.fence === fence
      if (!held) met.add('refused')
      return held
    },
    settled({ id, entity }: Claim, settlement: Settlement) {
      const key = keyOf(entity, id)
      const head = must(queueOf(key))
      expect(id).toBe(head.id)
      leases.delete(key)
      met.add(settlement.to)
      if (settlement.to === 'waiting') Object.assign(head, { state: 'waiting', due: now + settlement.retryIn })
      else if (settlement.to === 'held') head.state = 'held'
      else {
        queueOf(key).shift()
        append(finished, key, id)
      }
    },
    passed(seconds: number) {
      now += seconds
    },
    held: () => [...queues.values()].flatMap(([head]) => (head?.state === 'held' ? [head.id] : [])),
    retried(id: number) {
      for (const [head] of queues.values()) if (head?.id === id) Object.assign(head, { state: 'waiting', due: now })
    },
    open: () => [...queues.values()].flat().length,
    met: () => [...met].sort(),
    everyEntityInOrder() {
      for (const ids of accepted.values()) expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(finished).toEqual(accepted)
    },
  }
}
