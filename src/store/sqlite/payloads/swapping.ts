import type { Database } from 'better-sqlite3'
import { digestOfPayloads } from '../../payloads/block.ts'
import type { Payload, Swap } from '../../payloads/payload.ts'
import type { StoredPayloads } from './stored-payloads.ts'

/** Replaces payloads, inside the caller's transaction. */
export function createSwapping(db: Database, stored: StoredPayloads) {
  const getPlain = db.prepare<[number], Payload>(
    'select event_id as id, headers, body from payloads where event_id = ?',
  )
  const isPlain = db.prepare<[number], 1>('select 1 from payloads where event_id = ?').pluck()
  const isBlock = db.prepare<[number], 1>('select 1 from payload_blocks where id = ?').pluck()
  const holdOf = db
    .prepare<[string], 1>('select 1 from legal_holds where event_id in (select value from json_each(?)) limit 1')
    .pluck()
  const holdIn = db
    .prepare<[number], 1>(
      `select 1 from payload_blocks b join legal_holds h on h.event_id between b.first_event and b.last_event
       join events e on e.id = h.event_id and e.kind = b.kind where b.id = ? limit 1`,
    )
    .pluck()
  // Retried since it was chosen.
  const openOf = db
    .prepare<[string], 1>(
      `select 1 from deliveries indexed by deliveries_of_event where event_id in (select value from json_each(?))
         and state in ('waiting', 'claimed', 'held', 'dead') limit 1`,
    )
    .pluck()
  const openIn = db
    .prepare<[number], 1>(
      `select 1 from payload_blocks b
         cross join deliveries d indexed by deliveries_of_event on d.event_id between b.first_event and b.last_event
         join events e on e.id = d.event_id and e.kind = b.kind
         where b.id = ? and d.state in ('waiting', 'claimed', 'held', 'dead') limit 1`,
    )
    .pluck()
  const dropPlain = db.prepare('delete from payloads where event_id = ?')
  const setPlain = db.prepare('update payloads set headers = coalesce(?, headers), body = ? where event_id = ?')
  const dropBlock = db.prepare('delete from payload_blocks where id = ?')
  const setSize = db.prepare('update events set size = ? where id = ?')
  const addBlock = db.prepare(
    'insert into payload_blocks (kind, first_event, last_event, payloads, size, body) values (?, ?, ?, ?, ?, ?)',
  )

  function isNeeded({ events, blocks }: Swap['gone']): boolean {
    const json = JSON.stringify(events)
    if (events.length > 0 && [holdOf, openOf].some((one) => one.get(json) !== undefined)) return true
    return blocks.some((id) => [holdIn, openIn].some((one) => one.get(id) !== undefined))
  }

  function isStillSo({ blocksOut, rowsOut, rowsChanged, gone }: Swap): boolean {
    if (isNeeded(gone)) return false
    if (!blocksOut.every((id) => isBlock.get(id))) return false
    if (!rowsChanged.every(isAsItWas)) return false
    // One packed meanwhile is not gone with its row.
    if (rowsOut.digest === null) return rowsOut.ids.every((id) => isPlain.get(id))
    const rows = rowsOut.ids.flatMap((id) => getPlain.get(id) ?? [])
    return digestOfPayloads(rows) === rowsOut.digest
  }

  function isAsItWas({ id, digest }: Swap['rowsChanged'][number]): boolean {
    if (digest === null) return isPlain.get(id) !== undefined
    const row = getPlain.get(id)
    return row !== undefined && digestOfPayloads([row]) === digest
  }

  function swapAll(swap: Swap): void {
    for (const id of swap.blocksOut) dropBlock.run(id)
    for (const { kind, firstEvent, lastEvent, payloads, size, body } of swap.blocksIn)
      addBlock.run(kind, firstEvent, lastEvent, payloads, size, body)
    for (const id of swap.rowsOut.ids) dropPlain.run(id)
    for (const { id, headers, body } of swap.rowsChanged) setPlain.run(headers, body, id)
    for (const { id, size } of swap.sizes) setSize.run(size, id)
    if (swap.blocksOut.length > 0) stored.forget()
  }

  return {
    /** False: something changed meanwhile, nothing done. */
    swapPayloads(swap: Swap): boolean {
      if (!isStillSo(swap)) return false
      swapAll(swap)
      return true
    },
  }
}
