import { UserError } from '../../domain/values/errors.ts'

export interface Payload {
  id: number
  headers: string
  body: Uint8Array
}

export interface PayloadChange {
  id: number
  headers?: Record<string, string>
  body: Uint8Array
}

export interface PayloadsToDrop {
  kind: string
  upTo: number
  except: readonly number[]
  after?: number
}

export const FIRST_BLOCK = -1

export interface Drops {
  drops: Drop[]
  after: number | null
}

export interface Packed {
  payloads: number
  blocks: number
  bytes: number
  plainBytes: number
}

export interface NewBlock {
  kind: string
  firstEvent: number
  lastEvent: number
  payloads: number
  size: number
  body: Uint8Array
}

/** A replacement in one commit; nothing is done where its basis has changed. */
export interface Swap {
  blocksOut: number[]
  blocksIn: NewBlock[]
  rowsOut: { ids: number[]; digest: string | null }
  rowsChanged: { id: number; headers: string | null; body: Uint8Array; digest: string | null }[]
  sizes: { id: number; size: number }[]
  /** Deleted for good; nothing is done under a legal hold or with an unsettled delivery. */
  gone: { events: number[]; blocks: number[] }
}

export interface Drop {
  swap: Swap
  dropped: number
}

export const NO_SWAP: Swap = {
  blocksOut: [],
  blocksIn: [],
  rowsOut: { ids: [], digest: null },
  rowsChanged: [],
  sizes: [],
  gone: { events: [], blocks: [] },
}

export class BrokenBlockError extends UserError {
  override name = 'BrokenBlockError'
  readonly code = 'broken-block'

  static named(block: { id: number; kind: string; firstEvent: number; lastEvent: number }, error: unknown): unknown {
    if (!(error instanceof BrokenBlockError)) return error
    const { id, kind, firstEvent, lastEvent } = block
    // Without cause: readers rethrow the cause of drizzle's errors.
    return new BrokenBlockError(
      `Row ${id} of payload_blocks, with the payloads of ${kind} from event ${firstEvent} to ${lastEvent}, cannot be read: ${error.message}. Put the row back from a backup.`,
    )
  }
}
