import type { Arrival } from '../../arrival.ts'
import type { SeenRow } from '../../retention/gone.ts'
import { tellAcknowledged } from '../../tables/acknowledging.ts'
import { writeLinks } from '../../tables/notes.ts'
import { rowsOf } from '../../tables/statement.ts'
import { owe, owingOf } from '../claiming/owing.ts'
import { asRows, changeKeys, expectNew } from '../keys.ts'
import { lockTheFacts, prove } from '../proving.ts'
import type { Seen } from '../seen.ts'
import { perform, prepared, type Session, together } from './database.ts'

const EVENT = `id bigint, kind text, origin text, subscription text, state text, conflict_with bigint, received_at bigint,
  transport_key text, identity text, revision bigint, entity text, facts text, problem text, size int, body_hash text,
  submission bigint, line int, same_key_as bigint`
const NAMES = EVENT.replaceAll(/ (bigint|text|int)\b/g, '')

/** Bodies in one parameter: an array of bytea would travel as text, twice as long. */
const addEvents = prepared<{ keys: number }>(`
  with news as (
    select * from json_to_recordset($1::text::json) as e (${EVENT}, headers text, body_from int, body_size int)
  ), known as (
    insert into keys (key, event_id)
      select key, event_id from json_to_recordset($3::text::json) as k (key uuid, event_id bigint) order by key
      on conflict (key) do nothing returning 1
  ), added as (
    insert into events (${NAMES}) select ${NAMES} from news
  ), stored as (
    insert into payloads (event_id, headers, body)
      select id, headers, substring($2::bytea from body_from + 1 for body_size) from news
  )
  select count(*) as keys from known`)
interface Item {
  event: SeenRow
  arrival: Arrival
  line: number | null
  only: boolean
}

export function createNews(session: Session, seen: Seen) {
  let items: Item[] = []

  return {
    add(item: Item) {
      items.push(item)
      seen.remember(item.event)
    },

    /** Keys first: they meet another hub with the same. */
    async write() {
      const news = items
      items = []
      if (news.length === 0) return await seen.write()
      const acting = news.filter(({ only }) => !only)
      const readable = acting.filter(({ event }) => event.state !== 'quarantined')
      const proofs = readable.flatMap(({ event, arrival }) =>
        (arrival.proves ?? []).map((fact) => ({ fact, event: event.id })),
      )
      const keys = seen.takeUnwritten()
      const events = writeEvents(session, news, keys.added)
      const changed = changeKeys(session, keys.changed)
      // Before the strands, as one who comes back in doubt does.
      const facts = proofs.map(({ fact }) => fact)
      const locked = lockTheFacts(session, facts)
      const owing = acting.flatMap(({ event, arrival }) => owingOf(event, arrival))
      await together(events, together(changed, locked), owe(session, owing))
      const links = acting.flatMap(({ arrival }) => arrival.links ?? [])
      await perform(session, writeLinks(links))
      const acknowledged = readable.flatMap(({ arrival }) => arrival.acknowledges ?? [])
      await perform(session, tellAcknowledged(acknowledged))
      await prove(session, proofs)
    },
  }
}

async function writeEvents(session: Session, news: readonly Item[], keys: ReadonlyMap<string, number>): Promise<void> {
  let from = 0
  const bodies: Uint8Array[] = []
  // `undefined` rather than null shortens the JSON.
  const rows = news.map(({ event, arrival, line }) => {
    const body = arrival.refused ? new Uint8Array() : arrival.body
    const place = { body_from: from, body_size: body.byteLength }
    from += body.byteLength
    bodies.push(body)
    return {
      id: event.id,
      kind: arrival.kind,
      origin: arrival.origin,
      subscription: arrival.subscription ?? undefined,
      state: event.state,
      conflict_with: event.conflictWith ?? undefined,
      received_at: arrival.receivedAt,
      transport_key: arrival.transportKey ?? undefined,
      identity: arrival.identity ?? undefined,
      revision: event.revision,
      entity: arrival.entity ?? undefined,
      facts: event.facts ?? undefined,
      problem: arrival.problem ?? undefined,
      size: arrival.body.byteLength,
      body_hash: arrival.bodyHash,
      submission: event.submission ?? undefined,
      line: line ?? undefined,
      same_key_as: event.sameKeyAs ?? undefined,
      headers: JSON.stringify(arrival.headers),
      ...place,
    }
  })
  const [added] = await session.query(addEvents, [rowsOf(rows), Buffer.concat(bodies), asRows(keys)])
  expectNew(added?.keys ?? 0, keys)
}

export type News = ReturnType<typeof createNews>
