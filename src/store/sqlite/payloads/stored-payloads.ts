import type { Database } from 'better-sqlite3'
import { type Unpacked, unpackBlockSync } from '../../payloads/block.ts'
import { BrokenBlockError } from '../../payloads/broken-block-error.ts'
import type { Payload } from '../../payloads/payload.ts'

/** Blocks that stay unpacked in memory, and the bytes that they may take together: claims go from one event to the next. */
const KEPT_BLOCKS = 16
const KEPT_BYTES = 8 * 1024 * 1024

interface BlockRow {
  id: number
  kind: string
  firstEvent: number
  lastEvent: number
  size: number
}

/**
 * Payloads wherever they are, for the writer's thread: a row of its own counts, else the block of its kind. It runs inside a
 * transaction of the caller.
 */
export function createStoredPayloads(db: Database) {
  const getPlain = db.prepare<[number], Payload>(
    'select event_id as id, headers, body from payloads where event_id = ?',
  )
  const findBlock = db.prepare<[number, number], BlockRow>(
    `select b.id, b.kind, b.first_event as firstEvent, b.last_event as lastEvent, b.size from payload_blocks b
       where b.kind = (select kind from events where id = ?) and b.first_event <= ? order by b.first_event desc limit 1`,
  )
  const getBlock = db.prepare<[number], { body: Buffer }>('select body from payload_blocks where id = ?')
  /** By their ids, the last that was used at the end. A block never changes, and no id comes again but after a rollback. */
  const unpacked = new Map<number, { size: number; payloads: Unpacked }>()

  function unpack(block: BlockRow): Unpacked {
    const known = unpacked.get(block.id)
    const payloads = known?.payloads ?? read(block)
    unpacked.delete(block.id)
    unpacked.set(block.id, { size: block.size, payloads })
    let bytes = [...unpacked.values()].reduce((sum, { size }) => sum + size, 0)
    for (const [id, { size }] of unpacked) {
      if (unpacked.size <= 1 || (unpacked.size <= KEPT_BLOCKS && bytes <= KEPT_BYTES)) break
      unpacked.delete(id)
      bytes -= size
    }
    return payloads
  }

  function read(block: BlockRow): Unpacked {
    try {
      const row = getBlock.get(block.id)
      if (!row) throw new BrokenBlockError('it is not there')
      return unpackBlockSync(row.body)
    } catch (error) {
      throw BrokenBlockError.named(block, error)
    }
  }

  /** Null where it is not kept. Throws a BrokenBlockError where its block is. */
  function find(event: number): Payload | null {
    const plain = getPlain.get(event)
    if (plain) return plain
    const block = findBlock.get(event, event)
    if (!block || block.lastEvent < event) return null
    return unpack(block).get(event) ?? null
  }

  /** Null also where its block is broken: what waits for it must not stand still for that. */
  function findReadable(event: number): Payload | null {
    try {
      return find(event)
    } catch (error) {
      if (error instanceof BrokenBlockError) return null
      throw error
    }
  }

  return {
    /** The body; null where it is not kept, or cannot be read. */
    bodyOf: (event: number): Uint8Array | null => findReadable(event)?.body ?? null,
    /** The headers (JSON); none where they are not kept, or cannot be read. */
    headersOf: (event: number): string => findReadable(event)?.headers ?? '{}',

    /** What was unpacked is forgotten: it was erased, or read in a transaction that was rolled back. */
    forget: () => unpacked.clear(),
  }
}

export type StoredPayloads = ReturnType<typeof createStoredPayloads>
