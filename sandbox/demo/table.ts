import { styleText } from 'node:util'
import { isRight, type Row } from './reconcile.ts'

/** The most differing keys that are named in a row; the rest is counted. */
const NAMED = 10

/** The table at the end, and below it the keys that differ. */
export function renderTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    String(row.expected),
    String(row.counted),
    String(row.copies),
    isRight(row) ? 'ok' : 'WRONG',
  ])
  const all = [['', 'the POS did', 'arrived', 'copies', ''], ...cells]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const lines = all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ')
      .trimEnd(),
  )
  return [...lines, ...rows.flatMap(differences)].join('\n')
}

/** The words for a day that is right: that it happened once, and what is meant where something came twice. */
export function copiesText(rows: readonly Row[]): string {
  const many = (of: (name: string) => boolean) =>
    rows.reduce((sum, { name, copies }) => sum + (of(name) ? copies : 0), 0)
  const receipts = many((name) => name.startsWith('receipts'))
  const others = many((name) => !name.startsWith('receipts'))
  const lines = [
    others > 0 &&
      `Copies: ${others} came twice under one id: the hub was killed before it knew that they had arrived. The bus knows the id, and did each once.`,
    receipts > 0 &&
      `Of receipts, ${receipts} went out twice, since nobody can know whether the first did: two are better than none.`,
  ].filter((line) => line !== false)
  const once = receipts === 0 ? ', once' : ''
  return [`Everything that the POS did has happened${once}.`, ...lines].join('\n')
}

function differences({ name, missing, extra }: Row): string[] {
  return [...named(`${name}, missing`, missing), ...named(`${name}, not expected`, extra)]
}

function named(what: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return []
  const more = keys.length > NAMED ? ` … and ${keys.length - NAMED} more` : ''
  return [styleText('red', `  ${what}: ${keys.slice(0, NAMED).join(' · ')}${more}`)]
}
