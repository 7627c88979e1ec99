import { placeOf, type Shape } from '../known/from.ts'
import { rowsOf } from '../read-field.ts'
import type { MappingFault } from './faults.ts'
import { move } from './move.ts'
import { type Evaluate, valuesOf } from './values.ts'

/** A payload or a row of it: as it came, and as it is to be. */
interface MappedRow {
  original: unknown
  copy: object
}

interface Level {
  shape: Shape
  given: Readonly<Record<string, string>>
  /** The list whose rows they are; null: the payload itself. */
  list: string | null
  evaluate: Evaluate
  faults: MappingFault[]
}

/** All rows of a list at once: an expression is evaluated once for them, whatever their number. */
export function mapLevel(places: readonly MappedRow[], { list, ...level }: Level): void {
  const { shape, given, evaluate, faults } = level
  const here = Object.entries(shape.fields).filter(([key]) => placeOf(key).list === list)
  const told = here.flatMap(([key, { is }]) => (given[key] === undefined ? [] : [{ key, is, where: given[key] }]))
  const originals = places.map(({ original }) => original)
  const found = valuesOf(told, originals, { isRow: list !== null, evaluate, faults })
  for (const [index, { copy }] of places.entries()) move(here, copy, found[index] ?? {}, given)
  for (const [key, known] of here) {
    if (known.is !== 'list' || !Object.keys(given).some((name) => name.startsWith(`${key}.`))) continue
    const rows = places.flatMap(({ original, copy }, index) => {
      // As they were named before: rows of the copy may have been moved.
      const before = given[key] === undefined ? rowsOf(known, original) : asRows(found[index]?.[key])
      return rowsOf(known, copy).flatMap((row, nth) =>
        row !== null && typeof row === 'object' ? [{ original: before[nth], copy: row }] : [],
      )
    })
    if (rows.length > 0) mapLevel(rows, { ...level, list: key })
  }
}

function asRows(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
