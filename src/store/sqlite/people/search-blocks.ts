import { unpackBlockSync } from '../../payloads/block.ts'
import { openForReading } from '../file/connection.ts'
import { type anchorsOf, eachText } from './anchors.ts'

/** What was found in packed payloads. `bytes`: as they are when they are unpacked; `broken`: rows that nobody can read. */
export interface BlockFinds {
  bytes: number
  found: number
  broken: number[]
}

/** Looks for texts in what blocks hold, one block in memory at a time. `isAlone`: whether what was found is no part of something longer. */
export function searchBlocks(
  path: string,
  wanted: ReturnType<typeof anchorsOf>,
  isAlone: (bytes: Buffer, at: number, text: Buffer) => boolean,
): BlockFinds {
  const finds: BlockFinds = { bytes: 0, found: 0, broken: [] }
  const db = openForReading(path)
  if (!db) return finds
  using _ = { [Symbol.dispose]: () => db.close() }
  for (const { id, body } of db
    .prepare<[], { id: number; body: Buffer }>('select id, body from payload_blocks order by id')
    .iterate())
    for (const bytes of textsIn(id, body)) {
      finds.bytes += bytes.byteLength
      eachText(bytes, wanted, (at, text) => {
        if (isAlone(bytes, at, text)) finds.found += 1
      })
    }
  return finds

  function textsIn(id: number, body: Buffer): Buffer[] {
    try {
      return [...unpackBlockSync(body).values()].flatMap((one) => [Buffer.from(one.headers), one.body as Buffer])
    } catch {
      finds.broken.push(id)
      return []
    }
  }
}
