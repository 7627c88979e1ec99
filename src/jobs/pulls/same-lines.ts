import type { Decimal } from '../../domain/values/money.ts'

/** A line as webhooks have told of it. */
interface ToldLine {
  /** The GTIN, else the platform's own identifier. */
  article: string
  gtin: string | null
  /** Rows of earlier versions have none. */
  identifier?: string | null
  expected: Decimal | null
}

/** A size as the list of deliveries has it. */
interface ListedSize {
  gtin: string | null
  confirmedQuantity: Decimal | null
}

interface SameLines<Line> {
  /** The line that a size of the list is, by the size's GTIN. */
  lineOf: ReadonlyMap<string, Line>
  /** The lines without a GTIN that are none of the list's. */
  alone: readonly Line[]
  /** Whether other GTINs of the list are other goods. Else each may be one of `alone`: which one, only a webhook can say. */
  areOthers: boolean
}

/**
 * Which line is which. A webhook may name it by an identifier alone, and the list by its GTIN: it is the same where the names are alike,
 * where nothing else is left on either side, or where nothing else there has so many pieces on their way.
 */
export function sameLines<Line extends ToldLine>(
  lines: readonly Line[],
  listed: readonly ListedSize[],
): SameLines<Line> {
  const byName = new Map([
    ...lines.map((line) => [line.identifier ?? line.article, line] as const),
    ...lines.map((line) => [line.article, line] as const),
  ])
  const lineOf = new Map<string, Line>()
  for (const { gtin } of listed) {
    const line = gtin === null ? undefined : byName.get(gtin)
    if (gtin !== null && line) lineOf.set(gtin, line)
  }
  const left = withoutGtin(lines, lineOf)
  // Goods that have no GTIN at all have none in the list either.
  if (left.length <= listed.filter(({ gtin }) => gtin === null).length) return { lineOf, alone: left, areOthers: true }
  const sizes = listed.flatMap(({ gtin, ...size }) => (gtin === null || lineOf.has(gtin) ? [] : { gtin, ...size }))
  for (const { gtin, line } of pairsOf(left, sizes)) lineOf.set(gtin, line)
  const alone = withoutGtin(lines, lineOf)
  return { lineOf, alone, areOthers: alone.length === 0 }
}

/** Those that nothing else can be. */
function pairsOf<Line extends ToldLine>(left: readonly Line[], sizes: readonly (ListedSize & { gtin: string })[]) {
  const [only, size] = [left[0], sizes[0]]
  if (only && size && left.length === 1 && sizes.length === 1) return [{ gtin: size.gtin, line: only }]
  const linesOf = Map.groupBy(left, ({ expected }) => expected)
  return [...Map.groupBy(sizes, ({ confirmedQuantity }) => confirmedQuantity)].flatMap(([quantity, alike]) => {
    const [line, ...more] = linesOf.get(quantity) ?? []
    return line && more.length === 0 && alike.length === 1 ? alike.map(({ gtin }) => ({ gtin, line })) : []
  })
}

function withoutGtin<Line extends ToldLine>(lines: readonly Line[], lineOf: ReadonlyMap<string, Line>): Line[] {
  const found = new Set(lineOf.values())
  return lines.filter((line) => line.gtin === null && !found.has(line))
}
