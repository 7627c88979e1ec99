import type { Doctored, ExaminedSystem } from '../../admin/examine/examine.ts'
import type { Status } from '../../admin/examine/status.ts'
import { type HealthItem, mappingRemedy, nameOf, type RowsAside, rowsAsideText } from '../../domain/health/health.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { AsideBook } from '../../platform/http/read.ts'
import type { Client } from '../shared/client.ts'
import { type Finding, sentenceOf } from './finding.ts'

/** Findings of a running hub about itself, and about the systems that it has had a look at. A hub that does not answer is a finding. */
export async function examineHub(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const client = await orWhy(hub)
  // Nobody can tell how it is; that config is wrong is a finding of its own.
  if (client instanceof UserError) return [notAsked('unknown', client)]
  const doctored = await orWhy(() => client.get<Doctored>('/admin/doctor'))
  if (!(doctored instanceof UserError)) return [...judgeHub(doctored.items), ...doctored.systems.flatMap(judgeSystem)]
  return [notAsked(doctored.cause ? 'unknown' : 'problem', doctored)]
}

/** The answer of a running hub; null where it gives none: the check of the event id asks the same hub, and says why. */
export async function askHub<T>(hub: () => Promise<Pick<Client, 'get'>>, path: string): Promise<T | null> {
  const answer = await orWhy(async () => (await hub()).get<T>(path))
  return answer instanceof UserError ? null : answer
}

/** The words of the client say what to do: start it, look at the address, or which token it takes. */
function notAsked(state: Finding['state'], error: UserError): Finding {
  return { check: 'hub', state, says: `It cannot be asked how it is. ${sentenceOf(error)}` }
}

async function orWhy<T>(ask: () => Promise<T>): Promise<T | UserError> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

/** Items that are not simply well; one finding where all are. Rows that cannot be read are told of with the doctor's own (rows.ts). */
function judgeHub(items: readonly HealthItem[]): Finding[] {
  const told = items.filter(({ state, area }) => state !== 'ok' && area !== 'list')
  if (told.length === 0) return [{ check: 'hub', state: 'ok', says: 'It runs, can write, and nothing needs a person.' }]
  return told.map((item) => ({
    check: 'hub',
    state: item.state,
    says: `${nameOf(item)}: ${item.means}`,
    ...(item.todo !== null && { todo: item.todo }),
  }))
}

function judgeSystem({ destination, found }: ExaminedSystem): Finding[] {
  if (found === null) return [{ check: 'system', state: 'note', says: `${destination}: nothing to ask it by.` }]
  return found.map(({ what, state, says, todo }) => ({
    check: 'system',
    state,
    says: `${destination}: ${what}: ${says}`,
    ...(todo !== undefined && { todo }),
  }))
}

/** Rows that could not be read in the lists that the doctor asks the platform for itself. */
export function createRowsSeen(now: () => number): AsideBook & { all(): RowsAside[] } {
  const seen: RowsAside[] = []
  return {
    listed(operation, about, aside) {
      for (const [why, rows] of Map.groupBy(aside, (one) => one.why))
        seen.push({ operation, why, rows: rows.length, about: about === '' ? [] : [about], since: now() })
    },
    all: () => seen,
  }
}

/** One finding for each operation and cause, as the doctor saw it, or else a running hub; nothing where all could be read. */
export async function examineRows(
  seen: readonly RowsAside[],
  hub: () => Promise<Pick<Client, 'get'>>,
): Promise<Finding[]> {
  const all = new Map<string, RowsAside>()
  const status = await askHub<Partial<Status>>(hub, '/admin/status')
  for (const one of [...seen, ...(status?.aside ?? [])]) {
    const key = `${one.operation} ${one.why}`
    if (!all.has(key)) all.set(key, one)
  }
  return [...all.values()].map((one) => ({
    check: 'rows',
    state: 'problem',
    says: `${rowsAsideText(one)}, so that it cannot be read. The others go on, and this is asked for again.`,
    todo: `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(one.operation)}.`,
  }))
}
