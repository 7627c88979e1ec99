import type { Link } from '../../domain/link.ts'
import type { Arrival } from '../store.ts'
import { tellAcknowledged } from './acknowledging.ts'
import { prepared, rowsOf, type Session } from './database.ts'
import { owe } from './owing.ts'
import { prove } from './proving.ts'
import type { Seen, SeenEvent } from './seen.ts'

const EVENT = `id bigint, kind text, origin text, subscription text, state text, conflict_with bigint, received_at bigint,
  transport_key text, identity text, revision bigint, entity text, facts text, problem text, size int, body_hash text,
  submission bigint, line int`
const NAMES = EVENT.replaceAll(/ (bigint|text|int)\b/g, '')

/** Bodies come in one piece: a list of them would travel as text, which is twice as long. */
const addEvents = prepared(`
  with news as (
    select * from json_to_recordset($1::text::json) as e (${EVENT}, headers text, body_from int, body_size int)
  ), added as (
    insert into events (${NAMES}) select ${NAMES} from news
  )
  insert into payloads (event_id, headers, body)
    select id, headers, substring($2::bytea from body_from + 1 for body_size) from news`)

const addLinks = prepared(`
  insert into links (destination, kind, id, their_id)
    select destination, kind, id, their_id
      from json_to_recordset($1::text::json) as l (destination text, kind text, id text, their_id text)
      order by 1, 2, 3, 4
    on conflict do nothing`)

/** An event that is to be kept. */
interface Item {
  event: SeenEvent
  arrival: Arrival
  line: number | null
  /** It owes and proves nothing: a conflict. */
  only: boolean
}

/** What a list of arrivals brings, gathered and then written in a few statements, however many there are. */
export function createNews(session: Session, seen: Seen) {
  let items: Item[] = []

  return {
    add(item: Item) {
      items.push(item)
      seen.remember(item.event)
    },

    /** Writes what was gathered: the keys first, where another hub with the same is met. */
    async write() {
      const news = items
      items = []
      await seen.write()
      if (news.length === 0) return
      await writeEvents(session, news)
      const acting = news.filter(({ only }) => !only)
      await owe(
        session,
        acting.flatMap(({ event, arrival }) => {
          const { kind, identity, transportKey, bodyHash, receivedAt, deliveries } = arrival
          const about = { id: event.id, revision: event.revision, kind, identity, transportKey, bodyHash, receivedAt }
          return deliveries.map((step) => ({ event: about, step }))
        }),
      )
      await writeLinks(
        session,
        acting.flatMap(({ arrival }) => arrival.links ?? []),
      )
      const readable = acting.filter(({ event }) => event.state !== 'quarantined')
      await tellAcknowledged(
        session,
        readable.flatMap(({ arrival }) => arrival.acknowledges ?? []),
      )
      await prove(
        session,
        readable.flatMap(({ event, arrival }) => (arrival.proves ?? []).map((fact) => ({ fact, event: event.id }))),
      )
    },
  }
}

export async function writeLinks(session: Session, links: readonly Link[]): Promise<void> {
  const rows = links.map(({ destination, kind, id, theirId }) => ({ destination, kind, id, their_id: theirId }))
  if (rows.length > 0) await session.query(addLinks, [rowsOf(rows)])
}

async function writeEvents(session: Session, news: readonly Item[]): Promise<void> {
  let from = 0
  const bodies: Uint8Array[] = []
  const rows = news.map(({ event, arrival, line }) => {
    const body = arrival.refused ? new Uint8Array() : arrival.body
    const place = { body_from: from, body_size: body.byteLength }
    from += body.byteLength
    bodies.push(body)
    return {
      id: event.id,
      kind: arrival.kind,
      origin: arrival.origin,
      subscription: arrival.subscription,
      state: event.state,
      conflict_with: event.conflictWith,
      received_at: arrival.receivedAt,
      transport_key: arrival.transportKey,
      identity: arrival.identity,
      revision: event.revision,
      entity: arrival.entity,
      facts: event.facts,
      problem: arrival.problem,
      size: arrival.body.byteLength,
      body_hash: arrival.bodyHash,
      submission: event.submission,
      line,
      headers: JSON.stringify(arrival.headers),
      ...place,
    }
  })
  await session.query(addEvents, [rowsOf(rows), Buffer.concat(bodies)])
}

export type News = ReturnType<typeof createNews>
