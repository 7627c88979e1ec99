import { foldBytes, folded } from '../../../domain/values/folded.ts'
import { unpackBlock } from '../../payloads/block.ts'
import { isPartOf, standsAlone } from '../../people/stands-alone.ts'
import { type Database, prepared } from '../server/database.ts'

const nextBlocks = prepared<{ id: number; body: Buffer }>(
  'select id, body from payload_blocks where id > $1 order by id limit 16',
)

/** Payloads in blocks that say one of the texts: how many, how many bytes they all take unpacked, and the rows that nobody can read. */
export async function searchBlocks(
  db: Database,
  texts: readonly string[],
  words: readonly Buffer[],
): Promise<{ bytes: number; found: number; broken: number[] }> {
  const wanted = texts.map((text) => Buffer.from(folded(text)))
  const finds = { bytes: 0, found: 0, broken: [] as number[] }
  for (let after = 0; ; ) {
    const rows = await db.query(nextBlocks, [after])
    for (const { id, body } of rows) {
      const unpacked = await unpackBlock(body).catch(() => null)
      if (unpacked === null) finds.broken.push(id)
      for (const payload of unpacked?.values() ?? []) {
        finds.bytes += payload.headers.length + payload.body.byteLength
        const said = [Buffer.from(payload.headers), Buffer.from(payload.body)].map((bytes) => foldBytes(bytes))
        if (wanted.some((text) => said.some((bytes) => saysAlone(bytes, text, words)))) finds.found += 1
      }
    }
    const last = rows.at(-1)
    if (last === undefined) return finds
    after = last.id
  }
}

/** Whether folded bytes say a text that is no part of a longer number, or of one of the words. */
export function saysAlone(bytes: Buffer, text: Buffer, words: readonly Buffer[]): boolean {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    if (standsAlone(bytes, at, text) && !isPartOf(words, bytes, at, text)) return true
  return false
}
