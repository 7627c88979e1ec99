import type { Hinted } from '../../admin/hints.ts'
import type { Changed } from '../../store/screens.ts'
import { createClient } from '../shared/client.ts'
import { inParts, type PartAsked } from './in-parts.ts'

/** Has the hub change what a filter selects, part by part, and shows how far it is; a dry run is one question. */
export async function changeAll<Row, Done extends Changed<Row> = Changed<Row> & Partial<Hinted>>(
  path: string,
  asked: { dryRun: boolean } & Record<string, unknown>,
): Promise<Done> {
  const client = await createClient(process.env)
  const ask = (part?: PartAsked) => client.post<Done>(path, { ...asked, ...(part && { part }) })
  if (asked.dryRun) return await ask()
  return await inParts(ask, {
    doing: 'changing',
    join: (all, { changed, sample, next }) => ({ ...all, changed: all.changed + changed, sample, next }),
    far: ({ changed, matched }) => ({ done: changed, of: matched }),
  })
}
