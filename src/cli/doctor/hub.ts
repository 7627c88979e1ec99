import type { Doctored, ExaminedSystem } from '../../admin/examine/examine.ts'
import { type HealthItem, nameOf } from '../../domain/health/health.ts'
import { UserError } from '../../domain/values/errors.ts'
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
