import { randomUUID } from 'node:crypto'
import { ISOLATED_AT } from '../../domain/queue/delivery.ts'
import type { RowOf } from '../schema.ts'
import { forgetAcknowledged } from '../tables/acknowledging.ts'
import { deliverWhereProven, effectsOf, lockTheFacts } from '../tables/proving.ts'
import { keyStore } from './keys.ts'
import { PARTITIONS } from './schema.ts'
import { type Database, perform, prepared, type Session } from './server/database.ts'

/*
 * Hubs share the partitions, and each delivers what lies in its own (docs/adr/0003-partitions.md). A hub whose beat does
 * not grow for a lease, by the observer's own clock, is presumed dead: its row goes, and with it the right to write.
 */

const beat = prepared<{ id: string }>('update hubs set beat = beat + 1 where id = $1 returning id')
const lock = prepared<{ resets: number }>('select resets from hubs where id = $1 for key share')
const register = prepared('insert into hubs (id) values ($1)')
const listHubs = prepared<{ id: string; beat: number }>('select id, beat from hubs')
const listPartitions = prepared<{ id: number; hub: string | null }>('select id, hub from partitions order by id')
/** Does not wait: the hub that took one meanwhile may have come after this statement's snapshot of the hubs. */
const take = prepared<{ id: number }>(`
  update partitions set hub = $1 where id in (
    select id from partitions
      where id = any($2::smallint[]) and (hub is null or hub not in (select id from hubs)) for update skip locked)
    returning id`)
/** What is in flight of them then is of claims whose answer was lost: no call began. */
const give = prepared(`
  with given as (
    update partitions set hub = null where id = any($2::smallint[]) and hub = $1 returning id
  ), unanswered as (
    delete from in_flight f using deliveries d
      where f.hub = $1 and d.id = f.delivery_id and d.partition in (select id from given) returning d.id
  )
  update deliveries set state = 'waiting' where id in (select id from unanswered) and state = 'claimed'`)

/** One that is writing just now is left for the next look. */
const lockSilent = prepared<{ id: string }>('select id from hubs where id = $1 and beat = $2 for update skip locked')
const bury = prepared('delete from hubs where id = $1')
const openEffects = prepared<{ effect: string }>(`
  select d.effect from in_flight f join deliveries d on d.id = f.delivery_id
    where f.hub = $1 and (d.open or d.once) and d.effect is not null`)
const takeBack = prepared<Pick<RowOf<'deliveries'>, 'id' | 'destination' | 'effect' | 'open' | 'state'>>(`
  with left_behind as (
    delete from in_flight where hub = $1 returning delivery_id
  ), noted as (
    insert into attempts (delivery_id, at, ms, outcome, code, note)
      select delivery_id, now_ms(), 0, 'unknown', 'lease-over', 'the hub that had it did not come back in time' from left_behind
  )
  update deliveries set crashes = crashes + case when crashes < ${ISOLATED_AT} then 1 else 0 end,
      state = case when state = 'claimed' then 'waiting' else state end
    where id in (select delivery_id from left_behind)
    returning id, destination, effect, open, state`)

/** Keeps the hub's row until the commit. Undefined: it is presumed dead, and may write nothing. */
export async function lockHub(session: Session, hub: string): Promise<{ resets: number } | undefined> {
  const [row] = await session.query(lock, [hub])
  return row
}

/** Ends a hub. What it had in flight may have landed: in doubt where that matters, and delivered where proven. */
async function endHub(session: Session, hub: string): Promise<void> {
  await session.query(bury, [hub])
  await perform(session, lockTheFacts(effectsOf(await session.query(openEffects, [hub]))))
  const back = await session.query(takeBack, [hub])
  await perform(session, forgetAcknowledged(back))
  const uncertain = back.filter(({ open, state }) => open && state === 'waiting')
  const doubtful = uncertain.map(({ id, effect }) => ({ delivery: id, effect }))
  await perform(session, deliverWhereProven(keyStore, doubtful))
}

async function endSilent(session: Session, hub: string, beat: number): Promise<boolean> {
  const isSilent = (await session.query(lockSilent, [hub, beat])).length > 0
  if (isSilent) await endHub(session, hub)
  return isSilent
}

export type Membership = ReturnType<typeof createMembership>

interface Options {
  db: Database
  lease: number
  /** Other hubs should tick. */
  tell(): Promise<void>
  /** Its partitions are others now. */
  shared(): void
  /** It was presumed dead: what it has in flight is others'. */
  lost(): void
  /** Resolves when what is in flight now of these partitions has ended. */
  drained(partitions: readonly number[]): Promise<void>
}

export function createMembership({ db, lease, tell, shared, lost, drained }: Options) {
  let me = randomUUID()
  let joined: Promise<void> | null = null
  let owned: number[] = []
  let aliveAt = Number.NEGATIVE_INFINITY
  let isIn = false
  let giving = false
  let ticking: Promise<void> | null = null
  /** The hubs, and since when their beat is what it is. */
  let seen = new Map<string, { beat: number; at: number }>()
  let watchedAt = 0

  /** Not so: its lease may be over by now, and it must not begin anything. */
  const isAlive = (): boolean => performance.now() - aliveAt < lease

  async function enter(): Promise<void> {
    isIn = true
    await tick()
    await tell()
  }

  async function beatAndShare(): Promise<void> {
    const asked = performance.now()
    const wasAlive = isAlive()
    const [alive] = await db.query(beat, [me])
    if (!alive) {
      me = randomUUID()
      owned = []
      lost()
      await db.query(register, [me])
    }
    aliveAt = asked
    if (alive && !wasAlive) shared()
    await endDead(await db.query(listHubs))
    if (!giving) await share()
  }

  async function endDead(hubs: readonly { id: string; beat: number }[]): Promise<void> {
    const now = performance.now()
    // After an outage of the server, no hub has beaten: those that come back first would end the others.
    const before = now - watchedAt > lease / 2 ? null : seen
    watchedAt = now
    seen = new Map(
      hubs.map(({ id, beat }) => {
        const last = before?.get(id)
        return [id, last?.beat === beat ? last : { beat, at: now }]
      }),
    )
    for (const [id, { beat, at }] of seen)
      if (id !== me && now - at > lease && (await db.transaction((session) => endSilent(session, id, beat))))
        seen.delete(id)
  }

  async function share(): Promise<void> {
    const fair = Math.ceil(PARTITIONS / Math.max(seen.size, 1))
    const listed = await db.query(listPartitions)
    const mine = listed.filter(({ hub }) => hub === me).map(({ id }) => id)
    if (mine.length > fair) return void giveBack(mine.slice(fair), mine.slice(0, fair))
    const free = listed.filter(({ hub }) => hub === null || !seen.has(hub)).map(({ id }) => id)
    const wanted = free.slice(0, fair - mine.length)
    const taken = wanted.length === 0 ? [] : await db.query(take, [me, wanted])
    own([...mine, ...taken.map(({ id }) => id)].sort((one, other) => one - other))
  }

  function own(partitions: number[]): void {
    if (partitions.join() === owned.join()) return
    owned = partitions
    shared()
  }

  /** Given up only when nothing of them is in flight here any more: an entity's order holds. */
  async function giveBack(surplus: readonly number[], kept: number[]): Promise<void> {
    giving = true
    own(kept)
    try {
      await drained(surplus)
      await db.query(give, [me, surplus])
      await tell()
    } catch {
      // Tried again by the next tick.
    } finally {
      giving = false
    }
  }

  /** Beats, ends hubs that do not, and sees to a fair share. */
  async function tick(): Promise<void> {
    if (!isIn) return
    ticking ??= beatAndShare().finally(() => {
      ticking = null
    })
    await ticking
  }

  return {
    id: (): string => me,
    /** The partitions that this hub may claim from now. */
    owned: (): readonly number[] => owned,
    isAlive,

    async join(): Promise<void> {
      joined ??= enter().catch((error: unknown) => {
        joined = null
        throw error
      })
      await joined
    },

    tick,

    async leave(): Promise<void> {
      // A server that hangs keeps no hub from ending: when its lease is over, others find out.
      if (!isIn || !isAlive()) return
      isIn = false
      await ticking?.catch(() => undefined)
      const end = () => db.transaction((session) => endHub(session, me))
      // An answer may be lost: else its partitions would wait for its lease.
      await end().catch(end)
      await tell()
    },
  }
}
