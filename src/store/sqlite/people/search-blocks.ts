import { textsOfBlockSync, unpackBlockSync } from '../../payloads/block.ts'
import { openForReading } from '../file/connection.ts'
import { eachFound, type Wanted } from './finds.ts'

/** What was found in packed payloads. `bytes`: as they are when they are unpacked; `broken`: rows that nobody can read. */
export interface BlockFinds {
  bytes: number
  found: number
  broken: number[]
}

/** One of several parts of the blocks, each looked through by a process of its own. */
export interface BlockPart {
  nth: number
  of: number
}

/** Looks for texts in what blocks hold, one block in memory at a time. */
export function searchBlocks(path: string, { nth, of }: BlockPart, wanted: Wanted): BlockFinds {
  const finds: BlockFinds = { bytes: 0, found: 0, broken: [] }
  const db = openForReading(path)
  if (!db) return finds
  using _ = { [Symbol.dispose]: () => db.close() }
  const blocks = db.prepare<[number, number], { id: number; body: Buffer }>(
    'select id, body from payload_blocks where id % ? = ? order by id',
  )
  for (const { id, body } of blocks.iterate(of, nth))
    try {
      const all = textsOfBlockSync(body)
      finds.bytes += all.byteLength
      // Payloads lie one behind the other there: what begins in one and ends in the next is no find.
      if (countIn(all) > 0) finds.found += countIn(...singly(body))
    } catch {
      finds.broken.push(id)
    }
  return finds

  function countIn(...pieces: Buffer[]): number {
    let count = 0
    for (const bytes of pieces)
      eachFound(bytes, wanted, () => {
        count += 1
      })
    return count
  }
}

function singly(body: Buffer): Buffer[] {
  return [...unpackBlockSync(body).values()].flatMap((one) => [Buffer.from(one.headers), one.body as Buffer])
}
