import { type CopyReport, DifferenceError } from './report.ts'
import { between, type Slice } from './slices.ts'
import { COPIED_TABLES, type CopiedTable } from './tables.ts'
import type { Target } from './target.ts'

/**
 * Reads back what was copied, and compares it with what the file had: rows by their count and their hash, slice by slice. Throws
 * a DifferenceError that names each table whose rows are others, and where the first of them are. `told`: rows read so far.
 */
export async function verify(
  target: Pick<Target, 'read'>,
  slices: ReadonlyMap<string, readonly Slice[]>,
  counts: ReadonlyMap<string, number>,
  told: (done: number) => void,
): Promise<CopyReport['tables']> {
  let done = 0
  const differing: string[] = []
  const tables: CopyReport['tables'] = []
  for (const table of COPIED_TABLES) {
    let postgres = 0
    let after: Slice['upTo'] = null
    for (const slice of slices.get(table.name) ?? []) {
      const read = await target.read(table, after, slice.upTo)
      if (read.rows !== slice.rows || read.digest !== slice.digest) {
        differing.push(difference(table, after, slice, read.rows))
        break
      }
      after = slice.upTo
      postgres += read.rows
      done += read.rows
      told(done)
    }
    const file = counts.get(table.name) ?? 0
    tables.push({ table: table.name, file, postgres, equal: true })
  }
  if (differing.length > 0) throw new DifferenceError(differing.join('; '))
  // SQLite counts by another index than the one it reads by: in a damaged file they may not agree.
  const miscounted = tables.filter(({ file, postgres }) => file !== postgres)
  if (miscounted.length === 0) return tables
  const words = miscounted.map(({ table, file, postgres }) => `PostgreSQL has ${postgres} of ${file} rows of ${table}`)
  throw new DifferenceError(words.join('; '))
}

function difference(table: CopiedTable, after: Slice['upTo'], { upTo, rows }: Slice, found: number): string {
  const where = after === null && upTo === null ? '' : ` where ${between(table, after, upTo)}`
  if (found !== rows) return `PostgreSQL has ${found} of ${rows} rows of ${table.name}${where}`
  return `of ${table.name}${where}, PostgreSQL has other rows than the file (${rows} of each)`
}
