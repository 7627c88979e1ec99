import {
  BrokenBlockError,
  digestOfPayloads,
  type Payload,
  type Swap,
  type Unpacked,
  unpackBlock,
  unpackBlockSync,
} from '../payloads/block.ts'
import { lockHolds } from './gone-events.ts'
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

const holdOf = statement('select event_id as id from legal_holds where event_id = any($1::bigint[]) limit 1')
const holdIn = statement(`
  select h.event_id as id from payload_blocks b join legal_holds h on h.event_id between b.first_event and b.last_event
    join events e on e.id = h.event_id and e.kind = b.kind where b.id = any($1::bigint[]) limit 1`)
// Locked against retries. Archived ones are in another table.
const lockPending = statement<{ state: string }>(
  `select state from deliveries where event_id = any($1::bigint[])
      and state in ('waiting', 'claimed', 'held', 'dead', 'skipped') order by id for update`,
  `select state from deliveries indexed by deliveries_of_event where event_id in (select value from json_each($1))
      and state in ('waiting', 'claimed', 'held', 'dead') limit 1`,
)
const rangeOf = statement<{ kind: string; before: number; last: number }>(
  'select kind, first_event - 1 as before, last_event as last from payload_blocks where id = $1',
)
const lockOwedIn = statement<{ state: string }>(
  `select state from deliveries d where event_id > $2::bigint and event_id <= $3::bigint
      and state in ('waiting', 'claimed', 'held', 'dead', 'skipped')
      and (select kind from events where id = d.event_id limit 1) = $1
    order by id for update`,
  `select state from deliveries d indexed by deliveries_of_event where event_id > $2 and event_id <= $3
      and state in ('waiting', 'claimed', 'held', 'dead') and (select kind from events where id = d.event_id) = $1 limit 1`,
)
const lockRows = statement<{ id: number }>(
  'select event_id as id from payloads where event_id = any($1::bigint[]) order by event_id for update',
)
const lockPayloads = statement<Payload>(
  'select event_id as id, headers, body from payloads where event_id = any($1::bigint[]) order by event_id for update',
)
const dropBlocks = statement('delete from payload_blocks where id = any($1::bigint[])')
const lockBlocks = statement<{ id: number }>(
  'select id from payload_blocks where id = any($1::bigint[]) order by id for update',
)
const addBlock = statement(`
  insert into payload_blocks (kind, first_event, last_event, payloads, size, body) values ($1, $2, $3, $4, $5, $6)`)
const dropRows = statement('delete from payloads where event_id = any($1::bigint[])')
const setRow = statement('update payloads set headers = $2, body = $3 where event_id = $1')
const setSize = statement('update events set size = $2 where id = $1')

/** Replaces payloads in one commit; false: something changed meanwhile, nothing done. */
export function* swapPayloads(swap: Swap): Steps<boolean> {
  const { blocksOut, blocksIn, rowsOut, rowsChanged, sizes, gone } = swap
  if (yield* isNeeded(gone)) return false
  // A richer body that comes meanwhile waits, then finds its event packed.
  if (!(yield* areStill(rowsOut.ids, rowsOut.digest))) return false
  for (const { id, digest } of rowsChanged) if (!(yield* areStill([id], digest))) return false
  if (blocksOut.length > 0 && (yield* query(lockBlocks, [blocksOut])).length < blocksOut.length) return false
  if (blocksOut.length > 0) yield* query(dropBlocks, [blocksOut])
  for (const { kind, firstEvent, lastEvent, payloads, size, body } of blocksIn)
    yield* query(addBlock, [kind, firstEvent, lastEvent, payloads, size, Buffer.from(body)])
  if (rowsOut.ids.length > 0) yield* query(dropRows, [rowsOut.ids])
  for (const { id, headers, body } of rowsChanged) yield* query(setRow, [id, headers, Buffer.from(body)])
  for (const { id, size } of sizes) yield* query(setSize, [id, size])
  return true
}

function* isNeeded({ events, blocks }: Swap['gone']): Steps<boolean> {
  if (events.length + blocks.length === 0) return false
  yield* query(lockHolds)
  if (events.length > 0 && (yield* query(holdOf, [events])).length > 0) return true
  if (blocks.length > 0 && (yield* query(holdIn, [blocks])).length > 0) return true
  const pending = events.length > 0 ? yield* query(lockPending, [events]) : []
  for (const id of blocks)
    for (const { kind, before, last } of yield* query(rangeOf, [id]))
      pending.push(...(yield* query(lockOwedIn, [kind, before, last])))
  return pending.some(({ state }) => state !== 'skipped')
}

/** One packed meanwhile is not gone with its row. */
function* areStill(ids: readonly number[], digest: string | null): Steps<boolean> {
  if (ids.length === 0) return true
  if (digest === null) return (yield* query(lockRows, [ids])).length === ids.length
  return digestOfPayloads(yield* query(lockPayloads, [ids])) === digest
}
