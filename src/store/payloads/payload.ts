/** The bytes that an event came with. */
export interface Payload {
  /** The event's. */
  id: number
  /** JSON. */
  headers: string
  body: Uint8Array
}

/** A change of payloads: of one event, wherever they are. Without `headers`, those stay. */
export interface PayloadChange {
  id: number
  headers?: Record<string, string>
  body: Uint8Array
}

/** Payloads that are not needed any more: those of a kind up to an event, but for some. */
export interface PayloadsToDrop {
  kind: string
  upTo: number
  except: readonly number[]
  /** Where a part before has ended (`Dropped`); not given: from the first block on. What stays is not looked at again for each part. */
  after?: number
}

/** Before the first block. */
export const FIRST_BLOCK = -1

/** Payloads that may be dropped now, by commits that do not need each other. `after`: where the next part begins; null: there is none. */
export interface Drops {
  drops: Drop[]
  after: number | null
}

/** The work of packing. */
export interface Packed {
  payloads: number
  blocks: number
  /** Bytes of the blocks, and of what is in them. */
  bytes: number
  plainBytes: number
}

/** A block of payloads, as it is kept. */
export interface NewBlock {
  kind: string
  firstEvent: number
  lastEvent: number
  payloads: number
  /** Bytes before they were compressed. */
  size: number
  body: Uint8Array
}

/**
 * What of payloads takes the place of what, in one commit. It was made beside the writer: where something of what it was made
 * from is not there any more, or is otherwise, nothing of it is done.
 */
export interface Swap {
  /** Blocks that go, by their ids. */
  blocksOut: number[]
  blocksIn: NewBlock[]
  /** Plain rows that go, in the order of their events. `digest`: of what they held (block.ts); null: whatever that is, as long as they are there. */
  rowsOut: { ids: number[]; digest: string | null }
  /** Plain rows that change. `digest`: of what the row held (block.ts); null: whatever that is. */
  rowsChanged: { id: number; headers: string | null; body: Uint8Array; digest: string | null }[]
  /** How many bytes the bodies take of events whose bodies are others now. */
  sizes: { id: number; size: number }[]
  /** Payloads that go for good: of these events, and all in these blocks. Where one of them is under a legal hold, or a delivery of it is not settled well, nothing is done. */
  gone: { events: number[]; blocks: number[] }
}

/** A swap that drops payloads, and how many. */
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
