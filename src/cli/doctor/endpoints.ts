import { type UnshownEndpoint, WORKED } from '../../domain/health/endpoint-use.ts'
import { isNoEndpointCode } from '../../domain/values/errors.ts'
import { NEEDS } from '../../jobs/engine/job.ts'
import type { Client } from '../shared/client.ts'
import { when } from '../shared/times.ts'
import type { Finding } from './finding.ts'
import { askHub } from './hub.ts'

/** The fate of endpoints that no document shows, as a running hub knows it; nothing where there is none to ask. */
export async function examineEndpoints(hub: () => Promise<Pick<Client, 'get'>>): Promise<Finding[]> {
  const known = await askHub<{ endpoints: UnshownEndpoint[] }>(hub, '/admin/endpoints')
  return judgeEndpoints(known?.endpoints ?? [])
}

/** One finding for each that has not worked, and one for the others. Pure. */
function judgeEndpoints(endpoints: readonly UnshownEndpoint[]): Finding[] {
  if (endpoints.length === 0) return []
  const worked = endpoints.filter(({ use }) => use?.came === WORKED).map(({ operation }) => operation)
  const unused = endpoints.filter(({ use }) => use === null).map(({ operation }) => operation)
  const says = [
    'Some endpoints are guesses, since nothing that the preset follows shows them.',
    ...(worked.length > 0 ? [`These have worked here: ${worked.join(', ')}.`] : []),
    ...(unused.length > 0 ? [`Not used yet: ${firstOf(unused)}.`] : []),
  ].join(' ')
  return [{ check: 'endpoints', state: 'ok', says }, ...endpoints.flatMap(judgeOne)]
}

/** There are some sixty, and most hubs use a few. */
function firstOf(operations: readonly string[]): string {
  const more = operations.length - FIRST
  return more > 1 ? `${operations.slice(0, FIRST).join(', ')} and ${more} more` : operations.join(', ')
}

const FIRST = 6

function judgeOne({ operation, address, use }: UnshownEndpoint): Finding[] {
  if (use === null || use.came === WORKED) return []
  const first = use.first === use.came ? '' : `; the first time ${wordsOf(use.first)}`
  const tried = `${operation} (${address}) is a guess, was first used ${when(use.firstAt)}, and has never worked: `
  const maybe = mayBeTheThing(address, operation, use.came)
  // What is not there is no trouble where the hub has another way, or a job that is off says so.
  const isAbsent = isNoEndpointCode(use.came) && (CAN_BE_ABSENT.includes(operation) || jobsOf(operation).length > 0)
  return [
    {
      check: 'endpoints',
      state: maybe === '' && !isAbsent ? 'problem' : 'note',
      says: `${tried}${wordsOf(use.came)}${first}.${maybe} ${meansOf(operation)}`,
      todo: `ask the contact at the platform how it is called there, and set platform.endpoints.${operation} (docs/platform-unknowns.md); null where there is none.`,
    },
  ]
}

/** Operations that the hub does without: by the ids of subscriptions, by the payloads of the event log, by levels as they were counted. */
const CAN_BE_ABSENT = [
  'prices.lists',
  'webhooks.list',
  'events.resend',
  'events.get',
  'stockStatus.list',
  'products.bulkUpsert',
]

function jobsOf(operation: string): string[] {
  return Object.entries(NEEDS).flatMap(([job, needs]) => (needs === operation ? [job] : []))
}

function meansOf(operation: string): string {
  const jobs = jobsOf(operation)
  if (MEANS[operation] !== undefined) return MEANS[operation]
  return jobs.length === 0 ? 'What needs it may not be done.' : `Off without it: ${jobs.join(', ')}.`
}

/** The other cause that there may be, besides that the endpoint is not there; empty: none. */
function mayBeTheThing(address: string, operation: string, came: string): string {
  if (came === 'nothing') return ' There may have been nothing to tell.'
  const asksForOne = address.includes('{') || operation.startsWith('orders.')
  return came === 'http-404' && asksForOne ? ' What it was asked for may not have been there.' : ''
}

const WORDS: Readonly<Record<string, string>> = {
  nothing: 'it answered with success and nothing in it',
  'not-json': 'it answered a page, not data',
  'unexpected-answer': 'it answered something else than is known elsewhere',
  refused: 'it answered an id that is none',
  'http-404': 'it answered 404, as what is not there does',
  'http-405': 'it answered 405, as an endpoint of another method does',
}

function wordsOf(came: string): string {
  return WORDS[came] ?? `it answered ${came.replace(/^http-/, '')}`
}

/** The consequence for the retailer. */
const MEANS: Readonly<Record<string, string>> = {
  'orders.read':
    'Until it tells of an order, its word that there is none is not believed: an order whose answer was lost waits for a person, and is not sent twice.',
  'orders.delete': 'Cancelled orders may still be at their stores: each one that was not cancelled is a dead letter.',
  'orders.update':
    'Changed orders may be at their stores as they were: each one that was not changed is a dead letter.',
  'events.resend': 'Webhooks that got lost may not be sent again.',
  'events.get': 'What a lost webhook said may not be read from the event log.',
  'webhooks.list':
    'The hub subscribes to each kind once, and cannot see, move or delete that. Webhooks that get lost are found by the ids that it was answered, or that platform.webhooks.ids names.',
  'webhooks.update': 'Subscriptions that lead elsewhere are not put right.',
  'webhooks.delete': 'Subscriptions that are not wanted any more stay.',
  'products.bulkUpsert': 'Products that are submitted go one by one where it is not there.',
  'products.bulkInsert': 'New products that are submitted do not arrive.',
  'products.update': 'Texts and images of products do not arrive.',
  'products.byGtin': 'Messages to customers name goods by their GTINs.',
  'products.delete': 'Products that are deleted stay on sale: each deletion is a dead letter.',
  'products.deleteGtin': 'GTINs that are deleted can still be scanned: each deletion is a dead letter.',
  'products.deleteGtinByExtId': 'GTINs that are deleted can still be scanned: each deletion is a dead letter.',
  'customers.delete': 'Customers who are to be deleted may still be there: each deletion is a dead letter.',
  'transfers.create': 'Transfers that are submitted do not arrive.',
  'corrections.create': 'Corrections of stock that are submitted do not arrive.',
  'listedPrices.read': 'Campaign prices are not ended before their time.',
  'freight.read': 'Orders and sales with freight do not arrive.',
  'reservations.create': 'Goods of online orders are not reserved.',
  'reservations.list': 'What is reserved cannot be seen, nor released.',
  'products.byExtId': 'Cost prices by extId, and texts of products, do not arrive.',
}
