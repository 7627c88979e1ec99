import {
  type FindingChange,
  type FindingPlace,
  type FindingSort,
  type KeptFinding,
  placeOf,
} from '../domain/catalogue/finding.ts'

/** A change as stores write it; `row` null: the finding is no more. What it says is JSON text. */
export interface FindingWrite {
  sort: FindingSort
  key: string
  row: (Omit<FindingPlace, 'key'> & { body: string }) | null
}

/** A finding as stores read it. */
export type FindingText = Omit<KeptFinding, 'says'> & { body: string }

/** The writes that changes of findings come to, in the order of the changes. */
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
