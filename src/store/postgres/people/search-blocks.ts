import { unpackBlock } from '../../payloads/block.ts'
import { type Database, prepared } from '../server/database.ts'

const nextBlocks = prepared<{ id: number; body: Buffer }>(
  'select id, body from payload_blocks where id > $1 order by id limit 16',
)

/** Payloads in blocks that say one of the texts: how many, how many bytes they all take unpacked, and the rows that nobody can read. */
export async function searchBlocks(
  db: Database,
  texts: readonly string[],
): Promise<{ bytes: number; found: number; broken: number[] }> {
  const finds = { bytes: 0, found: 0, broken: [] as number[] }
  for (let after = 0; ; ) {
    const rows = await db.query(nextBlocks, [after])
    for (const { id, body } of rows) {
      const unpacked = await unpackBlock(body).catch(() => null)
      if (unpacked === null) finds.broken.push(id)
      for (const payload of unpacked?.values() ?? []) {
        finds.bytes += payload.headers.length + payload.body.byteLength
        const said = [Buffer.from(payload.headers), Buffer.from(payload.body)]
        if (texts.some((text) => said.some((bytes) => says(bytes, text)))) finds.found += 1
      }
    }
    const last = rows.at(-1)
    if (last === undefined) return finds
    after = last.id
  }
}

/** Digits are a number of their own, and no part of a longer one. */
function says(bytes: Buffer, text: string): boolean {
  const isNumber = /^\d+$/.test(text)
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    if (!isNumber || !(isDigit(bytes[at - 1]) || isDigit(bytes[at + text.length]))) return true
  return false
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
