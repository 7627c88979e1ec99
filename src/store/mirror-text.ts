import type { KeptRow, MirrorRow } from '../domain/catalogue/mirror.ts'

/** A row of the mirror as it is kept: what it says is JSON text, which costs less on its way between threads than values. */
export type MirrorText = Omit<KeptRow, 'body'> & { body: string }

export function toKeptRow(row: MirrorText): KeptRow {
  return { ...row, body: JSON.parse(row.body) }
}

/** The rows that stay of rows that come one after the other: one of each key. */
export function standing(rows: readonly MirrorRow[]): MirrorRow[] {
  const rowOf = new Map<string, MirrorRow>()
  for (const row of rows) {
    const key = `${row.set}\0${row.key}`
    const before = rowOf.get(key)
    if (!before || !isOlder(row, before)) rowOf.set(key, row)
  }
  return [...rowOf.values()]
}

/** A row that is older than another must not take the other's place. */
export function isOlder(row: Pick<MirrorRow, 'version' | 'tie'>, than: Pick<MirrorRow, 'version' | 'tie'>): boolean {
  return row.version === than.version ? row.tie < than.tie : row.version < than.version
}
