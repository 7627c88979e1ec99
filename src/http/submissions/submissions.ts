import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { actorOf, SUBMIT_SCOPES, type SubmitScope } from '../../domain/scope.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import type { SubmissionDetail } from '../../storage/screens.ts'
import type { Storage } from '../../storage/storage.ts'
import { apiKeyOf, type createApiKeyCheck } from '../api-key.ts'
import { sendProblem } from '../problem.ts'
import { readQuery } from '../query.ts'
import { answerRefused } from '../refusals.ts'
import { type Asked, readAsked, readKeyOfOne, STATUS_PARAMETERS } from './asked.ts'
import { BrokenOffError, linesOf, type ReadLines, readItems, readLines, UndecodableError } from './body/read-body.ts'
import { type Room, streamShare, unreadable, type WholeBodies } from './body/whole-body.ts'
import { createDryRun } from './dry-run.ts'
import { createEndlessAisle, withoutPosOrders } from './endless-aisle.ts'
import { cancellationOf, createKnownOrders, latestOf, movedFault, orderCancelled, orderOf } from './known-orders.ts'
import { answerOpenApi } from './openapi.ts'
import type { Checked, Reading, ReadingContext } from './reading.ts'
import { readProductText } from './resources/catalogue.ts'
import { isStockCount, type ReadCount, readStockCount } from './resources/stock.ts'
import { readOrderChange } from './resources/trade.ts'
import { RESOURCES } from './resources.ts'
import { confirmationStale, effectOf, notConfirmed } from './stock-count.ts'
import { createStoreFinder } from './stores.ts'
import { answerTaken, createSubmission, invalid, type Submission, transportKey } from './take.ts'

interface Options extends Omit<Room, 'limits'> {
  bodies: WholeBodies
  check: ReturnType<typeof createApiKeyCheck>
  inbox: Pick<Inbox, 'accept'>
  storage: Pick<
    Storage,
    'submission' | 'submissionItems' | 'endSubmission' | 'seen' | 'events' | 'event' | 'links' | 'linksTo' | 'noteAct'
  >
  storeIndex: () => StoreIndex
  /** For dry runs and complete counts. */
  platform: Platform | null
  saleStores: Readonly<Record<string, string>>
  stockWriters: Readonly<Record<string, string>>
  /** Destinations that POS orders are created in. */
  shops: readonly string[]
  wantsSubgroup: boolean
  wholeQuantities: boolean
  /** Milliseconds. */
  idle: number
  clock: Clock
  logger: Logger
}

interface Job {
  request: Request
  response: Response
  scope: SubmitScope
  asked: Asked
  context: ReadingContext
}

interface OneAsked {
  response: Response
  name: string
  key: string
  body: unknown
  context: ReadingContext
}

export function createSubmissions(options: Options): Router {
  const { bodies, check, storage, storeIndex, platform, saleStores, stockWriters, shops, wholeQuantities, logger } =
    options
  const rules = { stores: createStoreFinder(storeIndex, saleStores), stockWriters, wholeQuantities }
  const endlessAisle = createEndlessAisle(storage)
  const known = createKnownOrders(storage)
  const { slices } = options.budget
  const router = Router()
  for (const scope of SUBMIT_SCOPES) router.post(`/v1/${scope}`, check(scope), submit(scope))
  router.patch('/v1/products/:name', check('products'), submitOne('products', productText))
  router.put('/v1/orders/:name', check('orders'), submitOne('orders', orderChange))
  router.delete('/v1/orders/:name', check('orders'), submitOne('orders', orderCancellation))
  router.get('/v1/submissions/:id', check(null), createStatus(storage))
  // Nothing secret, but not for strangers.
  router.get('/openapi.json', check(null), answerOpenApi)
  return router

  function submit(scope: SubmitScope): RequestHandler {
    return async (request, response) => {
      const asked = readAsked(request, scope)
      const { system } = apiKeyOf(response)
      const job = { request, response, scope, asked, context: { ...rules, ...asked, system } }
      await (asked.type === 'json' ? takeWhole(job) : takeStream(job))
    }
  }

  function submitOne(scope: SubmitScope, read: (asked: OneAsked) => Reading | Promise<Reading>): RequestHandler {
    return async (request, response) => {
      const key = readKeyOfOne(request)
      const { name = '' } = request.params as { name?: string }
      const body = request.method === 'DELETE' ? null : await bodies.json(request, response)
      if (body === undefined) return
      const { system } = apiKeyOf(response)
      const reading = await read({ response, name, key, body, context: { ...rules, system } })
      if ('faults' in reading) throw invalid([{ line: 1, ...reading }], 1)
      await takeAll(response, scope, key, { lines: [{ line: 1, ...reading }], refused: 0, faults: [] })
    }
  }

  function productText({ name, body }: OneAsked): Reading {
    return readProductText(name, body)
  }

  async function orderChange({ response, name, key, body, context }: OneAsked): Promise<Reading> {
    const orderNo = name.trim()
    const reading = readOrderChange(orderNo, body, context)
    if ('faults' in reading) return reading
    const apiKey = apiKeyOf(response)
    const before = await orderOf(known, orderNo, apiKey)
    // A repeated request, after which the order may have been cancelled.
    if (before.cancelled && !(await wasTaken(apiKey.system, transportKey('orders', key, 1))))
      throw orderCancelled(orderNo)
    const moved = movedFault(reading.payload as SubmittedOrder, latestOf(orderNo, before))
    return moved === null ? reading : { faults: [moved] }
  }

  async function orderCancellation({ response, name }: OneAsked): Promise<Reading> {
    const orderNo = name.trim()
    return cancellationOf(orderNo, latestOf(orderNo, await orderOf(known, orderNo, apiKeyOf(response))))
  }

  async function wasTaken(system: string, key: string): Promise<boolean> {
    return (await storage.seen(system, [key])).has(key)
  }

  async function ofPlatform(scope: SubmitScope, read: ReadLines, { system }: ReadingContext): Promise<ReadLines> {
    return RESOURCES[scope].asksEndlessAisle ? await withoutPosOrders(read, endlessAisle, { system, shops }) : read
  }

  function begin(response: Response, scope: SubmitScope, key: string): Submission {
    return createSubmission({ ...options, known }, { system: apiKeyOf(response).system, scope, key })
  }

  async function takeWhole(job: Job): Promise<void> {
    const { request, response, scope, asked, context } = job
    const read = await bodies.json(request, response, async (body, work) => {
      const one = Array.isArray(body) && body.length === 1 ? body[0] : body
      return scope === 'stock-adjustments' && isStockCount(one)
        ? { stockCount: await readStockCount(one, context, work) }
        : await readItems(RESOURCES[scope], body, context, work)
    })
    if (read === undefined) return
    if ('stockCount' in read) return await takeCount(job, read.stockCount)
    const items = await ofPlatform(scope, read, context)
    if (!asked.dryRun) return await takeAll(response, scope, asked.key, items)
    const trial = createDryRun(scope, options)
    trial.see(items)
    response.json(await trial.end())
  }

  async function takeAll(response: Response, scope: SubmitScope, key: string, read: ReadLines): Promise<void> {
    const { lines, refused, faults } = read
    if (refused > 0) throw invalid(faults, lines.length + refused)
    const submission = begin(response, scope, key)
    await submission.take(lines)
    await finish(response, submission, true)
  }

  async function takeStream({ request, response, scope, asked, context }: Job): Promise<void> {
    const work = slices.begin()
    const share = streamShare(options.budget)
    if (share === null) return await answerRefused(request, response, 'over-budget', options.refused)
    response.once('close', share.release)
    const trial = asked.dryRun ? createDryRun(scope, options) : null
    const submission = begin(response, scope, asked.key)
    try {
      for await (const group of linesOf(request, options.idle)) {
        const read = await ofPlatform(scope, await readLines(RESOURCES[scope], group, context, work), context)
        if (trial) trial.see(read)
        else {
          for (const fault of read.faults) submission.refuse(fault.line, fault.faults)
          await submission.take(read.lines)
        }
      }
    } catch (error) {
      if (error instanceof UndecodableError) throw unreadable(error.message, submission.takeCounts)
      if (!(error instanceof BrokenOffError)) throw error
      if (error.wasSilent) options.refused('too-slow', request.ip)
      logger.warn({ resource: scope, submission: submission.takeCounts.id }, 'submission.broken-off')
      return void response.destroy()
    }
    if (trial) return void response.json(await trial.end())
    await finish(response, submission, false)
  }

  /** Taken only with the confirmation of a dry run. */
  async function takeCount({ response, scope, asked }: Job, read: Checked<ReadCount>): Promise<void> {
    if ('faults' in read) throw invalid([{ line: 1, ...read }], 1)
    const { count, confirmation } = read.value
    if (asked.dryRun) return void response.json({ dryRun: true, ...(await effectOf(count, platform)) })
    if (confirmation === null) throw notConfirmed()
    // A repeated request: the count itself has changed the levels.
    if (!(await wasTaken(apiKeyOf(response).system, transportKey(scope, asked.key, 1)))) {
      const effect = await effectOf(count, platform)
      if (effect.confirmation !== confirmation) throw confirmationStale(effect)
    }
    const lines = [{ line: 1, kind: 'StockCountSubmitted', payload: count }]
    await takeAll(response, scope, asked.key, { lines, refused: 0, faults: [] })
  }

  async function finish(response: Response, submission: Submission, atomic: boolean): Promise<void> {
    await submission.end()
    const { system } = apiKeyOf(response)
    const { id, lines, accepted, duplicates, refused } = submission.takeCounts
    logger.info({ system, submission: id, lines, accepted, duplicates, refused }, 'submission.taken')
    await notePush(response, submission)
    answerTaken(response, submission.takeCounts, atomic)
  }

  async function notePush(response: Response, { takeCounts }: Submission): Promise<void> {
    const { req: request } = response
    const operator = request.get('x-operator')
    if (!operator) return
    const { id: key, system } = apiKeyOf(response)
    const selection = { submission: takeCounts.id, resource: request.path.replace('/v1/', ''), system, key }
    const act = { at: options.clock.now(), by: actorOf(system, operator), action: 'push', reason: null, refused: null }
    await storage.noteAct({ ...act, selection: JSON.stringify(selection), changed: takeCounts.accepted }, [])
  }
}

const PAGE = 100

function createStatus(storage: Pick<Storage, 'submission' | 'submissionItems'>): RequestHandler {
  return async (request, response) => {
    const { id = '' } = request.params as { id?: string }
    const { after = 0 } = readQuery(request, STATUS_PARAMETERS)
    const found = /^\d{1,15}$/.test(id) ? await storage.submission(Number(id)) : null
    if (!found || found.system !== apiKeyOf(response).system) {
      const detail = 'Your system has no submission of this id.'
      return sendProblem(response, 'not-found', detail)
    }
    const failed = await storage.submissionItems(found.id, { states: ['dead', 'held'], after, limit: PAGE })
    response.json({
      ...statusOf(found),
      failed: failed.map(({ line, entity, destination, state, code, why }) => {
        return { line, entity, destination, state, code, why }
      }),
    })
  }
}

function statusOf({ id, resource, key, receivedAt, items, unrouted, states, end }: SubmissionDetail) {
  const destinations: Record<string, Record<string, number>> = {}
  let open = 0
  for (const { destination, state, count } of states) {
    destinations[destination] ??= { waiting: 0, delivered: 0, superseded: 0, held: 0, dead: 0, skipped: 0 }
    const counts = destinations[destination]
    const shown = state === 'claimed' ? 'waiting' : state
    counts[shown] = (counts[shown] ?? 0) + count
    if (shown === 'waiting') open += count
  }
  return {
    ...{ id, resource, key, receivedAt: formatInstant(receivedAt) },
    lines: end?.lines ?? null,
    items,
    refused: end?.refused ?? null,
    faults: end?.faults ?? [],
    ...{ unrouted, destinations, done: end !== null && open === 0 },
  }
}
