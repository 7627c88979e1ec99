import type { Event } from '../../domain/queue/event.ts'
import { UserError } from '../../domain/values/errors.ts'
import { notFoundText } from '../../domain/values/text.ts'
import { NEW_DELIVERY_COLUMNS, newDeliveryRow } from '../accepting.ts'
import type { Arrival, NewDelivery } from '../arrival.ts'
import { type Enqueuing, keepNewest, withoutEnqueuedOnce } from '../tables/enqueuing.ts'
import { rowsOf } from '../tables/statement.ts'
import { keyStore } from './keys.ts'
import { perform, prepared, type Session } from './server/database.ts'

const keep = prepared<Enqueuing['event']>(`
  select id, kind, identity, revision, transport_key as "transportKey", body_hash as "bodyHash", received_at as "receivedAt"
    from events where id = $1 for key share`)

export async function lockEvent(session: Session, id: number): Promise<Enqueuing['event']> {
  const [event] = await session.query(keep, [id])
  if (!event) throw new UserError(notFoundText('event', id))
  return event
}

export function enqueuingOf(event: Pick<Event, 'id' | 'revision'>, arrival: Arrival): Enqueuing[] {
  const { kind, identity, transportKey, bodyHash, receivedAt, deliveries } = arrival
  const { id, revision } = event
  const about = { id, revision, kind, identity, transportKey, bodyHash, receivedAt }
  return deliveries.map((step) => ({ event: about, step }))
}

const COLUMNS = NEW_DELIVERY_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')
const NAMES = NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')
const VALUES = NAMES.replace('due_at', 'coalesce(due_at, now_ms())').replace('yields', 'coalesce(yields, false)')

const add = prepared<Step & { id: number; eventId: number }>(`
  insert into deliveries (state, ${NAMES})
    select 'waiting', ${VALUES} from json_to_recordset($1::text::json) as d (n int, ${COLUMNS}) order by n
    on conflict (event_id, flow, part, destination) do nothing
    returning id, event_id as "eventId", flow, part, destination`)
type Step = Pick<NewDelivery, 'flow' | 'part' | 'destination'>

/** Returns ids in order, 0 where already there or a `once` effect ever enqueued. */
export async function enqueue(session: Session, enqueuing: readonly Enqueuing[]): Promise<number[]> {
  const wanted = await perform(session, withoutEnqueuedOnce(keyStore, enqueuing))
  const rows = wanted.flatMap((one, n) => (one ? [withoutNull({ n, ...newDeliveryRow(one.step, one.event.id) })] : []))
  if (rows.length === 0) return enqueuing.map(() => 0)
  const added = await session.query(add, [rowsOf(rows)])
  const steps = wanted.flatMap((one) => one?.step ?? [])
  await perform(session, keepNewest(steps, null))
  const ids = new Map(added.map((row) => [nameOf(row.eventId, row), row.id]))
  return wanted.map((one) => {
    if (one === null) return 0
    const name = nameOf(one.event.id, one.step)
    const id = ids.get(name) ?? 0
    ids.delete(name)
    return id
  })
}

/** As JSON, nulls would only make it longer. */
const withoutNull = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
const nameOf = (event: number, { flow, part, destination }: Step) => JSON.stringify([event, flow, part, destination])
