import type { CheckedSystem, Doctored, Status } from '../../admin/health.ts'
import { type UnshownEndpoint, WORKED } from '../../domain/health/endpoint-use.ts'
import {
  type HealthItem,
  itemNameOf,
  mappingRemedy,
  type RejectedRows,
  rejectedRowsText,
} from '../../domain/health/health.ts'
import { isNoEndpointCode, messageOf, UserError } from '../../domain/values/errors.ts'
import { sentence } from '../../domain/values/text.ts'
import { NEEDS } from '../../jobs/engine/job.ts'
import type { RejectedRowsLog } from '../../platform/http/read.ts'
import type { Client } from '../shared/client.ts'
import { ownLines, stateWord, when } from '../shared/output.ts'

export async function checkHub(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const client = await orWhy(hub)
  if (client instanceof UserError) return [notAsked('unknown', client)]
  const doctored = await orWhy(() => client.get<Doctored>('/admin/doctor'))
  if (!(doctored instanceof UserError)) return [...judgeHub(doctored.items), ...doctored.systems.flatMap(judgeSystem)]
  return [notAsked(doctored.cause ? 'unknown' : 'problem', doctored)]
}

/** Null: no answer; the check of the event id says why. */
export async function askHub<T>(hub: () => Promise<Pick<Client, 'get'>>, path: string): Promise<T | null> {
  const answer = await orWhy(async () => (await hub()).get<T>(path))
  return answer instanceof UserError ? null : answer
}

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

/** Unreadable rows are reported with the doctor's own (checkRows). */
function judgeHub(items: readonly HealthItem[]): Finding[] {
  const reported = items.filter(({ state, area }) => state !== 'ok' && area !== 'list')
  if (reported.length === 0)
    return [{ check: 'hub', state: 'ok', says: 'It runs, can write, and nothing needs a person.' }]
  return reported.map((item) => ({
    check: 'hub',
    state: item.state,
    says: `${itemNameOf(item)}: ${item.means}`,
    ...(item.todo !== null && { todo: item.todo }),
  }))
}

export function judgeSystem({ destination, found }: CheckedSystem): Finding[] {
  const check = 'destinations'
  if (found === null) return [{ check, state: 'note', says: `${destination}: nothing to ask it by.` }]
  return found.map(({ what, state, says, todo }) => ({
    ...{ check, state, says: `${destination}, ${what}: ${says}` },
    ...(todo !== undefined && { todo }),
  }))
}

export function createRowsSeen(now: () => number): RejectedRowsLog & { all(): RejectedRows[] } {
  const seen: RejectedRows[] = []
  return {
    listed(operation, about, rejected) {
      for (const [why, rows] of Map.groupBy(rejected, (one) => one.why))
        seen.push({ operation, why, rows: rows.length, about: about === '' ? [] : [about], since: now() })
    },
    all: () => seen,
  }
}

/** One finding per operation and cause, seen by the doctor or the hub. */
export async function checkRows(
  seen: readonly RejectedRows[],
  hub: () => Promise<Pick<Client, 'get'>>,
): Promise<Finding[]> {
  const all = new Map<string, RejectedRows>()
  const status = await askHub<Partial<Status>>(hub, '/admin/status')
  for (const one of [...seen, ...(status?.rejected ?? [])]) {
    const key = `${one.operation} ${one.why}`
    if (!all.has(key)) all.set(key, one)
  }
  return [...all.values()].map((one) => ({
    check: 'rows',
    state: 'problem',
    says: `${rejectedRowsText(one)}, so that it cannot be read. The others go on, and this is asked for again.`,
    todo: `correct it in the portal, ask the contact at the platform (docs/pulls.md), or say where it stands: ${mappingRemedy(one.operation)}.`,
  }))
}

export async function checkEndpoints(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const known = await askHub<{ endpoints: UnshownEndpoint[] }>(hub, '/admin/endpoints')
  return (known?.endpoints ?? []).flatMap(judgeEndpoint)
}

function judgeEndpoint({ operation, address, use }: UnshownEndpoint): Finding[] {
  if (use === null || use.came === WORKED) return []
  const { came, firstAt } = use
  const jobs = Object.entries(NEEDS).flatMap(([job, needs]) => (needs === operation ? [job] : []))
  const off = jobs.length === 0 ? 'What needs it may not be done.' : `Off without it: ${jobs.join(', ')}.`
  // There may have been nothing to answer with.
  const isUnsure =
    came === 'nothing' || (came === 'http-404' && (address.includes('{') || operation.startsWith('orders.')))
  // The hub has another way, or the job that is off says so.
  const isAbsent = isNoEndpointCode(came) && (CAN_BE_ABSENT.includes(operation) || jobs.length > 0)
  return [
    {
      check: 'endpoints',
      state: isUnsure || isAbsent ? 'note' : 'problem',
      says: `${operation} (${address}) is a guess, was first used ${when(firstAt)}, and has never worked: ${answerText(came)}.${isUnsure ? ' There may have been nothing to answer with.' : ''} ${MEANS[operation] ?? off}`,
      todo: `ask the contact at the platform how it is called there, and set platform.endpoints.${operation} (docs/platform-unknowns.md); null where there is none.`,
    },
  ]
}

/** The consequences that cost money or goods. */
const MEANS: Readonly<Record<string, string>> = {
  'orders.read':
    'Until it returns an order, its word that there is none is not believed: an order whose answer was lost waits for an operator, and is not sent twice.',
  'orders.delete': 'Cancelled orders may still be at their stores: each one that was not cancelled is a dead letter.',
  'orders.update': 'Changed orders may be at their stores as they were: each is a dead letter.',
}

const CAN_BE_ABSENT = [
  ...['prices.lists', 'webhooks.list', 'events.resend', 'events.get', 'stockStatus.list'],
  'products.bulkUpsert',
]

const ANSWERS: Readonly<Record<string, string>> = {
  nothing: 'success and nothing in it',
  'not-json': 'a page, not data',
  'unexpected-answer': 'something else than is known elsewhere',
  refused: 'an id that is none',
}

function answerText(came: string): string {
  return `it answered ${ANSWERS[came] ?? came.replace(/^http-/, '')}`
}

/** `note`: nothing is wrong; `unknown`: could not be asked. */
export interface Finding {
  check: string
  state: HealthItem['state']
  /** Without secrets and personal data. */
  says: string
  todo?: string
}

type Sentences = readonly (string | false)[]

/** Faults first, then remarks, else `fine`. */
export function finding(
  check: string,
  { fine, faults = [], remarks = [], todo }: { fine: string; faults?: Sentences; remarks?: Sentences; todo?: string },
): Finding {
  const [wrong, noted] = [faults, remarks].map((all) => all.filter((one) => one !== false))
  const state = wrong?.length ? 'problem' : noted?.length ? 'note' : 'ok'
  const says = [fine, ...(wrong ?? []), ...(noted ?? [])].join(' ').replaceAll(' \n', '\n')
  return { check, state, says, ...(state === 'problem' && todo !== undefined && { todo }) }
}

export function findingLine({ check, state, says, todo }: Finding): string {
  const words = todo === undefined ? says : `${says} To do: ${todo}`
  return `${stateWord(state)}  ${check.padEnd(13)}  ${ownLines(words)}`
}

export function sentenceOf(error: unknown): string {
  return sentence(messageOf(error))
}
