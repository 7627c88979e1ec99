import { randomUUID } from 'node:crypto'
import { ISOLATED_AT } from '../../domain/queue/delivery.ts'
import { forgetAcknowledged } from '../tables/acknowledging.ts'
import { deliverWhereProven, effectsOf, lockTheFacts } from './proving.ts'
import { PARTITIONS } from './schema.ts'
import { type Database, perform, prepared, type Session } from './server/database.ts'

/*
 * Hubs share the partitions, and each delivers what lies in its own (docs/adr/0003-partitions.md). A hub whose beat does
 * not grow for a lease, by the clock of whoever looks, is presumed dead: its row goes, and with it the right to write.
 */

const beat = prepared<{ id: string }>('update hubs set beat = beat + 1 where id = $1 returning id')
const register = prepared('insert into hubs (id) values ($1)')
const listHubs = prepared<{ id: string; beat: number }>('select id, beat from hubs')
const listPartitions = prepared<{ id: number; hub: string | null }>('select id, hub from partitions order by id')
const take = prepared(`
  update partitions set hub = $1
    where id = any($2::smallint[]) and (hub is null or hub not in (select id from hubs))`)
const give = prepared('update partitions set hub = null where id = any($2::smallint[]) and hub = $1')

const bury = prepared<{ id: string }>(
  'delete from hubs where id = $1 and beat = coalesce($2::bigint, beat) returning id',
)
const openEffects = prepared<{ effect: string }>(`
  select d.effect from in_flight f join deliveries d on d.id = f.delivery_id
    where f.hub = $1 and (d.open or d.once) and d.effect is not null`)
const takeBack = prepared<TakenBack>(`
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

interface TakenBack {
  id: number
  destination: string
  effect: string | null
  open: boolean
  state: string
}

/** Ends a hub. What it had in flight may have landed: in doubt where that matters, and delivered where proven. */
async function endHub(session: Session, hub: string, seen: number | null): Promise<void> {
  if ((await session.query(bury, [hub, seen])).length === 0) return
  await lockTheFacts(session, effectsOf(await session.query(openEffects, [hub])))
  const back = await session.query(takeBack, [hub])
  await perform(session, forgetAcknowledged(back))
  const uncertain = back.filter(({ open, state }) => open && state === 'waiting')
  await deliverWhereProven(
    session,
    uncertain.map(({ id, effect }) => ({ delivery: id, effect })),
  )
}

export interface Membership {
  id(): string
  /** The partitions that this hub may claim from now. */
  owned(): readonly number[]
  /** Not so: its lease may be over by now, and it must not begin anything. */
  isAlive(): boolean
  join(): Promise<void>
  /** Beats, ends hubs that do not, and sees to a fair share. */
  tick(): Promise<void>
  leave(): Promise<void>
}

interface Options {
  db: Database
  lease: number
  /** Other hubs should tick. */
  tell(): Promise<void>
  /** Its partitions are others now. */
  shared(): void
  /** It was presumed dead: what it has in flight is others'. */
  lost(): void
  /** Resolves when what is in flight now has ended. */
  drained(): Promise<void>
}

export function createMembership({ db, lease, tell, shared, lost, drained }: Options): Membership {
  let me = randomUUID()
  let joined: Promise<void> | null = null
  let owned: number[] = []
  let aliveAt = Number.NEGATIVE_INFINITY
  let isIn = false
  let giving = false
  let ticking: Promise<void> | null = null
  const seen = new Map<string, { beat: number; at: number }>()

  const isAlive = () => performance.now() - aliveAt < lease

  async function enter(): Promise<void> {
    await db.query(register, [me])
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
    const hubs = await db.query(listHubs)
    await endDead(hubs)
    if (!giving) await share(hubs.length)
  }

  async function endDead(hubs: readonly { id: string; beat: number }[]): Promise<void> {
    const now = performance.now()
    for (const id of seen.keys()) if (!hubs.some((hub) => hub.id === id)) seen.delete(id)
    for (const { id, beat } of hubs) {
      const before = seen.get(id)
      if (before?.beat !== beat) seen.set(id, { beat, at: now })
      else if (id !== me && now - before.at > lease) await db.transaction((session) => endHub(session, id, beat))
    }
  }

  async function share(hubs: number): Promise<void> {
    const fair = Math.ceil(PARTITIONS / hubs)
    const listed = await db.query(listPartitions)
    const mine = listed.filter(({ hub }) => hub === me).map(({ id }) => id)
    if (mine.length > fair) return void giveBack(mine.slice(fair), mine.slice(0, fair))
    const known = new Set(seen.keys())
    const free = listed.filter(({ hub }) => hub === null || !known.has(hub)).map(({ id }) => id)
    if (mine.length < fair && free.length > 0) {
      await db.query(take, [me, free.slice(0, fair - mine.length)])
      const now = await db.query(listPartitions)
      own(now.filter(({ hub }) => hub === me).map(({ id }) => id))
    } else own(mine)
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
      await drained()
      await db.query(give, [me, surplus])
      await tell()
    } catch {
      // Tried again by the next tick.
    } finally {
      giving = false
    }
  }

  async function tick(): Promise<void> {
    if (!isIn) return
    ticking ??= beatAndShare().finally(() => {
      ticking = null
    })
    await ticking
  }

  return {
    id: () => me,
    owned: () => owned,
    isAlive,

    async join() {
      joined ??= enter()
      try {
        await joined
      } catch (error) {
        joined = null
        throw error
      }
    },

    tick,

    async leave() {
      if (!isIn) return
      isIn = false
      await ticking?.catch(() => undefined)
      await db.transaction((session) => endHub(session, me, null))
      await tell()
    },
  }
}
