import type { KeptRow, MirrorRow } from '../domain/catalogue/mirror.ts'

/** JSON text crosses threads cheaper than objects. */
export type MirrorText = Omit<KeptRow, 'body'> & { body: string }

export function toKeptRow(row: MirrorText): KeptRow {
  return { ...row, body: JSON.parse(row.body) }
}

/** The newest row of each key. */
export function standing(rows: readonly MirrorRow[]): MirrorRow[] {
  const rowOf = new Map<string, MirrorRow>()
  for (const row of rows) {
    const key = `${row.set}\0${row.key}`
    const before = rowOf.get(key)
    if (!before || !isOlder(row, before)) rowOf.set(key, row)
  }
  return [...rowOf.values()]
}

/** Such a row must not replace the other. */
export function isOlder(row: Pick<MirrorRow, 'version' | 'tie'>, than: Pick<MirrorRow, 'version' | 'tie'>): boolean {
  return row.version === than.version ? row.tie < than.tie : row.version < than.version
}
