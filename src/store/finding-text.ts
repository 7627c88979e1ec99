import {
  type FindingChange,
  type FindingPlace,
  type FindingSort,
  type KeptFinding,
  placeOf,
} from '../domain/catalogue/finding.ts'

/** `row` null: deleted. */
export interface FindingWrite {
  sort: FindingSort
  key: string
  row: (Omit<FindingPlace, 'key'> & { body: string }) | null
}

export type FindingText = Omit<KeptFinding, 'says'> & { body: string }

export function toWrites(changes: readonly FindingChange[]): FindingWrite[] {
  return changes.map((change) => {
    if (change.type === 'drop') return { sort: change.sort, key: change.key, row: null }
    const { finding } = change
    const { key, ...place } = placeOf(finding)
    return { sort: finding.sort, key, row: { ...place, body: JSON.stringify(finding.says) } }
  })
}

export function toKeptFinding<S extends FindingSort>({ body, ...row }: FindingText): KeptFinding<S> {
  return { ...row, says: JSON.parse(body) }
}
