import { BrokenBlockError, type Payload, type Unpacked, unpackBlock, unpackBlockSync } from '../payloads/block.ts'
import { awaited, query, type Steps, statement } from './statement.ts'

const getPlain = statement<Payload>(
  'select event_id as id, headers, body from payloads where event_id = any($1::bigint[])',
)
const findBlocks = statement<{ event: number; block: number | null }>(`
  select e.id as event, (
      select case when b.last_event >= e.id then b.id end from payload_blocks b where b.kind = e.kind and b.first_event <= e.id
        order by b.first_event desc limit 1) as block
    from events e where e.id = any($1::bigint[])`)
const getBlock = statement<{ size: number; body: Buffer }>('select size, body from payload_blocks where id = $1')

const MAX_CACHED = 8 * 1024 * 1024

/** Unpacked blocks, the latest last; claims go from one event to the next. Blocks never change. */
export type BlockCache = Map<number, { size: number; payloads: Unpacked }>

/**
 * Own row before block; those not stored or in a broken block are left out, as work must go on. With a cache (in the writer's thread)
 * blocks are unpacked at once, else without blocking the event loop.
 */
export function* payloadsOf(
  events: readonly number[],
  cache: BlockCache | null = null,
): Steps<ReadonlyMap<number, Payload>> {
  if (events.length === 0) return new Map()
  const plain = yield* query(getPlain, [events])
  const found = new Map(plain.map((one) => [one.id, one]))
  const others = events.filter((id) => !found.has(id))
  const places = others.length === 0 ? [] : yield* query(findBlocks, [others])
  const blocks: BlockCache = cache ?? new Map()
  for (const { event, block } of places) {
    const payload = block === null ? undefined : (yield* unpacked(block, blocks, cache !== null)).get(event)
    if (payload) found.set(event, payload)
  }
  return found
}

function* unpacked(block: number, cache: BlockCache, atOnce: boolean): Steps<Unpacked> {
  const entry = cache.get(block) ?? (yield* read(block, atOnce))
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

function* read(block: number, atOnce: boolean): Steps<{ size: number; payloads: Unpacked } | null> {
  const [row] = yield* query(getBlock, [block])
  if (!row) return null
  try {
    const payloads = atOnce ? unpackBlockSync(row.body) : yield* awaited(unpackBlock(row.body))
    return { size: row.size, payloads }
  } catch (error) {
    if (error instanceof BrokenBlockError) return null
    throw error
  }
}
