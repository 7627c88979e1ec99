import { type Unpacked, unpackBlockSync } from '../payloads/block.ts'
import { BrokenBlockError, type Payload } from '../payloads/payload.ts'
import { query, type Steps, statement } from './statement.ts'

const getPlain = statement<Payload>(
  'select event_id as id, headers, body from payloads where event_id = any($1::bigint[])',
)
const findBlocks = statement<{ event: number; block: number | null }>(`
  select e.id as event, (
      select b.id from payload_blocks b where b.kind = e.kind and b.first_event <= e.id
        order by b.first_event desc limit 1) as block
    from events e where e.id = any($1::bigint[])`)
const getBlock = statement<{ size: number; body: Buffer }>('select size, body from payload_blocks where id = $1')

const MAX_CACHED = 8 * 1024 * 1024

/** Unpacked blocks, the latest last; claims go from one event to the next. Blocks never change. */
export type BlockCache = Map<number, { size: number; payloads: Unpacked }>

/** Own row before block; those not stored or in a broken block are left out, as work must go on. */
export function* payloadsOf(
  events: readonly number[],
  cache: BlockCache = new Map(),
): Steps<ReadonlyMap<number, Payload>> {
  if (events.length === 0) return new Map()
  const plain = yield* query(getPlain, [events])
  const found = new Map(plain.map((one) => [one.id, one]))
  const others = events.filter((id) => !found.has(id))
  const places = others.length === 0 ? [] : yield* query(findBlocks, [others])
  for (const { event, block } of places) {
    const payload = block === null ? undefined : (yield* unpacked(block, cache)).get(event)
    if (payload) found.set(event, payload)
  }
  return found
}

function* unpacked(block: number, cache: BlockCache): Steps<Unpacked> {
  const entry = cache.get(block) ?? (yield* read(block))
  if (entry === null) return new Map()
  cache.delete(block)
  cache.set(block, entry)
  let bytes = [...cache.values()].reduce((sum, { size }) => sum + size, 0)
  for (const [id, { size }] of cache) {
    if (id === block || bytes <= MAX_CACHED) break
    cache.delete(id)
    bytes -= size
  }
  return entry.payloads
}

function* read(block: number): Steps<{ size: number; payloads: Unpacked } | null> {
  const [row] = yield* query(getBlock, [block])
  try {
    return row ? { size: row.size, payloads: unpackBlockSync(row.body) } : null
  } catch (error) {
    if (error instanceof BrokenBlockError) return null
    throw error
  }
}
