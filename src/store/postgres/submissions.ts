import type { Instant } from '../../domain/values/instant.ts'
import type { SubmissionLine } from '../arrival.ts'
import type { SubmissionEnd } from '../screens.ts'
import { prepared, type Session } from './server/database.ts'

const find = prepared<{ id: number }>('select id from submissions where system = $1 and resource = $2 and key = $3')
const add = prepared<{ id: number }>(`
  insert into submissions as s (system, resource, key, received_at) values ($1, $2, $3, $4)
    on conflict (system, resource, key) do update set received_at = s.received_at returning id`)
const setEnd = prepared<{ id: number }>('update submissions set "end" = $1 where id = $2 returning id')

/** The id of the request that a line is of; made with its first line. */
export async function submissionOf(
  session: Session,
  system: string,
  { resource, key }: SubmissionLine,
  receivedAt: Instant,
): Promise<number> {
  const [found] = await session.query(find, [system, resource, key])
  const [row] = found ? [found] : await session.query(add, [system, resource, key, receivedAt])
  if (!row) throw new Error(`The submission ${key} could not be made.`)
  return row.id
}

/** A request was read to its end. Throws where there is none. */
export async function endSubmission(session: Session, id: number, end: SubmissionEnd): Promise<void> {
  const [row] = await session.query(setEnd, [JSON.stringify(end), id])
  if (!row) throw new Error(`There is no submission ${id}.`)
}
