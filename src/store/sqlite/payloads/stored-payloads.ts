import type { Database } from 'better-sqlite3'
import { type Unpacked, unpackBlockSync } from '../../payloads/block.ts'
import { BrokenBlockError, type Payload } from '../../payloads/payload.ts'

/** Unpacked blocks cached: claims go from one event to the next. */ import type { RowOf } from '../../schema.ts'

const KEPT_BLOCKS = 16
const KEPT_BYTES = 8 * 1024 * 1024

type BlockRow = Omit<RowOf<'payloadBlocks'>, 'body' | 'payloads'>

/** Payloads, own row before block, inside the caller's transaction. */
export function createStoredPayloads(db: Database) {
  const getPlain = db.prepare<[number], Payload>(
    'select event_id as id, headers, body from payloads where event_id = ?',
  )
  const findBlock = db.prepare<[number, number], BlockRow>(
    `select b.id, b.kind, b.first_event as firstEvent, b.last_event as lastEvent, b.size from payload_blocks b
       where b.kind = (select kind from events where id = ?) and b.first_event <= ? order by b.first_event desc limit 1`,
  )
  const getBlock = db.prepare<[number], { body: Buffer }>('select body from payload_blocks where id = ?')
  /** LRU by id; blocks never change, and ids recur only after a rollback. */
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

  /** Null: not stored. Throws a BrokenBlockError. */
  function find(event: number): Payload | null {
    const plain = getPlain.get(event)
    if (plain) return plain
    const block = findBlock.get(event, event)
    if (!block || block.lastEvent < event) return null
    return unpack(block).get(event) ?? null
  }

  /** Null also for a broken block: work must go on. */
  function findReadable(event: number): Payload | null {
    try {
      return find(event)
    } catch (error) {
      if (error instanceof BrokenBlockError) return null
      throw error
    }
  }

  return {
    /** Null: not stored, or unreadable. */
    bodyOf: (event: number): Uint8Array | null => findReadable(event)?.body ?? null,
    /** JSON; empty where not stored or unreadable. */
    headersOf: (event: number): string => findReadable(event)?.headers ?? '{}',

    /** After erasure or rollback. */
    forget: () => unpacked.clear(),
  }
}

export type StoredPayloads = ReturnType<typeof createStoredPayloads>
