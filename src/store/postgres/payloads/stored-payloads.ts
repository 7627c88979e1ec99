import { type Unpacked, unpackBlock } from '../../payloads/block.ts'
import { BrokenBlockError, type Payload } from '../../payloads/payload.ts'
import { prepared, type Session } from '../server/database.ts'

const getPlain = prepared<Payload>(
  'select event_id as id, headers, body from payloads where event_id = any($1::bigint[])',
)
const findBlocks = prepared<{ event: number; block: number }>(`
  select e.id as event, b.id as block
    from events e
      cross join lateral (
        select id, last_event from payload_blocks where kind = e.kind and first_event <= e.id
          order by first_event desc limit 1) b
    where e.id = any($1::bigint[]) and b.last_event >= e.id`)
const getBlock = prepared<{ body: Buffer }>('select body from payload_blocks where id = $1')

/** Own row before block; those not stored or in a broken block are left out, as work must go on. */
export async function payloadsOf(session: Session, events: readonly number[]): Promise<Map<number, Payload>> {
  if (events.length === 0) return new Map()
  const plain = await session.query(getPlain, [events])
  const found = new Map(plain.map((one) => [one.id, one]))
  const others = events.filter((id) => !found.has(id))
  if (others.length === 0) return found
  const places = await session.query(findBlocks, [others])
  for (const [block, its] of Map.groupBy(places, (place) => place.block)) {
    const unpacked = await unpack(session, block)
    for (const { event } of its) {
      const payload = unpacked.get(event)
      if (payload) found.set(event, payload)
    }
  }
  return found
}

async function unpack(session: Session, block: number): Promise<Unpacked> {
  try {
    const [row] = await session.query(getBlock, [block])
    return row ? await unpackBlock(row.body) : new Map()
  } catch (error) {
    if (error instanceof BrokenBlockError) return new Map()
    throw error
  }
}
