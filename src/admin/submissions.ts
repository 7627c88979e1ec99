import { z } from 'zod'
import { notFoundText } from '../domain/values/text.ts'
import type { SubmissionDetail, SubmissionItem, SubmissionRow } from '../storage/rows.ts'
import { idIn, page, pageOf } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, type Route } from './routes.ts'

export interface SubmissionList {
  submissions: SubmissionRow[]
  /** Where the list continues; null: at its end. */
  before: number | null
}

export interface ShownSubmission extends SubmissionDetail {
  /** Lines that failed, the first ones. */
  failed: SubmissionItem[]
}

const Listed = z.strictObject(page)

export function submissionRoutes({ storage }: AdminContext): Route[] {
  return [
    get('/submissions', Listed, async ({ asked: { before, limit } }): Promise<SubmissionList> => {
      const found = await storage.submissions(before ?? null, limit + 1)
      const { rows, next } = pageOf({ rows: found, next: null }, limit)
      return { submissions: rows, before: next }
    }),

    get('/submissions/:id', NOTHING, async ({ params }): Promise<ShownSubmission> => {
      const id = idIn(params.id, 'a submission', 'find')
      const found = await storage.submission(id)
      if (!found) throw notFound(notFoundText('submission', String(id)))
      return { ...found, failed: await storage.submissionItems(id, { states: ['held', 'dead'] }) }
    }),
  ]
}
