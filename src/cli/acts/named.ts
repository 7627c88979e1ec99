import type { Hinted } from '../../admin/hints.ts'
import type { Changed } from '../../store/screens.ts'
import { createClient } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { show } from '../shared/print.ts'

const WORDS = { events: 'Event', deliveries: 'Delivery', gaps: 'Gap' } as const

/** Whether a verb did nothing, or in a dry run would do nothing. */
export function cameToNothing({ matched, changed }: Pick<Changed, 'matched' | 'changed'>, dryRun: boolean): boolean {
  return (dryRun ? matched : changed) === 0
}

/**
 * How a thing stands that was named by its number, where a verb did nothing of it: its state, and `why` that stands in the way. Throws a
 * UserError where there is none of this number.
 */
export async function leftAlone<Row extends { state: string }>(
  list: keyof typeof WORDS,
  { id, ...others }: { id: number } & Record<string, unknown>,
  why: (row: Row) => string,
): Promise<string> {
  const client = await createClient(process.env)
  const row = await client.get<Row>(`/admin/${list}/${id}`)
  const found = await client.get<Record<string, unknown[]>>(`/admin/${list}`, { id, ...others })
  return `${WORDS[list]} ${id} is ${row.state}: ${found[list]?.length === 0 ? 'the other options leave it out.' : why(row)}`
}

/** That nobody knows a name by which something was selected. */
export function hintLines({ hint = null }: Partial<Hinted>): string[] {
  return hint === null ? [] : [oneLine(hint)]
}

/** Shows what a verb did; `left`: how that stands of which it did nothing, null where it did. A script learns that by the exit code. */
export function showDone(json: boolean | undefined, result: object, text: () => string, left: string | null): void {
  const problems = left === null ? {} : { problems: [{ says: left }] }
  show(json, { ...result, ...problems }, () => [text(), left].filter((part) => part !== null).join('\n'))
  if (left !== null) process.exitCode = EXIT.input
}
