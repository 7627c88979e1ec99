import type { Changed } from '../../store/screens.ts'
import { createClient } from '../shared/client.ts'
import { inParts, type PartAsked } from './in-parts.ts'

/** Has the hub change what a filter selects, part by part, and shows how far it is; a dry run is one question. */
export async function changeAll<Row>(
  path: string,
  asked: { dryRun: boolean } & Record<string, unknown>,
): Promise<Changed<Row>> {
  const client = await createClient(process.env)
  const ask = (part?: PartAsked) => client.post<Changed<Row>>(path, { ...asked, ...(part && { part }) })
  if (asked.dryRun) return await ask()
  return await inParts(ask, {
    doing: 'changing',
    join: (all, more) => ({ ...more, matched: all.matched, changed: all.changed + more.changed }),
    far: ({ changed, matched }) => ({ done: changed, of: matched }),
  })
}
