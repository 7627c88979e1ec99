export function suggest(written: string, names: readonly string[]): string | null {
  const allowed = Math.max(1, Math.floor(written.length / 3))
  const [nearest] = names
    // Bounds the table: input may be endless.
    .filter((name) => Math.abs(written.length - name.length) <= allowed)
    .map((name) => ({ name, distance: distance(written.toLowerCase(), name.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.name ?? null
}

function distance(from: string, to: string): number {
  const columns = [...Array(to.length + 1).keys()]
  const rows = Array.from({ length: from.length + 1 }, (_, row) => columns.map((column) => row + column))
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row++)
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const steps = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)]
      rows[row]?.splice(
        column,
        1,
        Math.min(...steps, isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY),
      )
    }
  return at(from.length, to.length)
}

const SHORT = 24

export function oneOf(written: string, names: readonly string[], none = 'none: there are none'): string {
  if (names.length === 0) return none
  const meant = suggest(written, names)
  if (meant === null) return `one of ${names.join(', ')}`
  const known = names.length > SHORT ? `one of ${names.length} names` : `one of ${names.join(', ')}`
  return `${known}; did you mean "${meant}"?`
}
