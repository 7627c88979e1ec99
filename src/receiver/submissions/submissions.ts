import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { ANY_ORDER, type ApiKey, actorOf, mayDo, SUBMIT_SCOPES, type SubmitScope } from '../../domain/access/scope.ts'
import { createProductFaults, type Sort } from '../../domain/catalogue/product-faults.ts'
import type { SubmittedCancellation, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import type { StoreIndex } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import { asideText } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { LineFaults, SubmissionDetail } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { apiKeyOf, type createApiKeyCheck, makeOneWith } from '../api-key.ts'
import { answerRefused } from '../problem.ts'
import {
  BrokenOffError,
  LISTED,
  linesIn,
  linesOf,
  type ReadLines,
  readItems,
  readLines,
  UndecodableError,
} from './body/read-body.ts'
import {
  type Asked,
  RequestError,
  type Room,
  readAsked,
  readDeleteKey,
  readPatchKey,
  streamShare,
  type WholeBodies,
} from './body/whole-body.ts'
import { createKnownOrders, type KnownOrder, type KnownOrders, mayChange, movedFault, notKept } from './known-orders.ts'
import { answerOpenApi } from './openapi.ts'
import { createEndlessAisle, withoutTillOrders } from './resources/endless-aisle.ts'
import { readChange } from './resources/orders.ts'
import { readProductText } from './resources/products.ts'
import type { Readable, ReadingContext, Resource } from './resources/resource.ts'
import { createStoreFinder, StoresUnknownError } from './resources/resource.ts'
import { RESOURCES } from './resources/resources.ts'
import {
  answerEffect,
  answerNotAskable,
  answerOutdated,
  effectOf,
  isStockCount,
  NotAskableError,
  readStockCount,
} from './resources/stock-adjustments.ts'
import {
  answerInvalid,
  answerKeyReused,
  answerStoresUnknown,
  answerTaken,
  answerUnreadable,
  createSubmission,
  type Submission,
} from './take.ts'

interface Options extends Omit<Room, 'limits'> {
  bodies: WholeBodies
  check: ReturnType<typeof createApiKeyCheck>
  inbox: Pick<Inbox, 'accept'>
  store: Pick<
    Store,
    'submission' | 'submissionItems' | 'endSubmission' | 'seen' | 'events' | 'event' | 'links' | 'linksTo' | 'noteAct'
  >
  storeIndex: () => StoreIndex
  /** To ask it in dry runs, and before a complete count; null: it cannot be asked. */
  platform: Platform | null
  /** The number of the store that stands for a country. */
  saleStores: Readonly<Record<string, string>>
  /** The system that alone writes the levels of a stock, by the stock's id. */
  stockWriters: Readonly<Record<string, string>>
  /** The destinations that orders of tills are created in. */
  shops: readonly string[]
  wantsSubgroup: boolean
  /** The platform counts stock in whole numbers. */
  wholeQuantities: boolean
  /** How long a sender of lines may say nothing (milliseconds). */
  silence: number
  clock: Clock
  logger: Logger
}

/** `/v1`: what own systems submit for the platform, and `/openapi.json`, which says how. */
export function createSubmissions(options: Options): Router {
  const {
    bodies,
    check,
    store,
    storeIndex,
    platform,
    saleStores,
    stockWriters,
    shops,
    wantsSubgroup,
    wholeQuantities,
    logger,
  } = options
  const stores = createStoreFinder(storeIndex, saleStores)
  const endlessAisle = createEndlessAisle(store)
  const dryRun = createDryRun(platform, wantsSubgroup)
  const known = createKnownOrders(store)
  const { slices } = options.budget
  const orderChanges = createOrderChanges({
    known,
    store,
    bodies,
    contextOf: (response) => contextOf(response, { insertOnly: false, force: false }),
    begin: (response, key) => begin(response, 'orders', key),
    finish: (response, submission) => finish(response, submission, true),
  })
  const router = Router()
  for (const scope of SUBMIT_SCOPES) router.post(`/v1/${scope}`, check(scope), submit(RESOURCES[scope]))
  router.patch('/v1/products/:extId', check('products'), submitText)
  router.put('/v1/orders/:orderNo', check('orders'), orderChanges.change)
  router.delete('/v1/orders/:orderNo', check('orders'), orderChanges.cancel)
  router.get('/v1/submissions/:id', check(null), createStatus(store))
  // The document names no secret, but it tells a stranger what is here.
  router.get('/openapi.json', check(null), answerOpenApi)
  router.use(answerError)
  return router

  function submit(resource: Resource): RequestHandler {
    return async (request, response) => {
      const asked = readAsked(request, resource.scope)
      const context = contextOf(response, asked)
      const job = { request, response, resource, asked, context }
      if (asked.type === 'ndjson' && !asked.strict) await takeStream(job)
      else await takeWhole(job)
    }
  }

  function contextOf(response: Response, asked: Pick<Asked, 'insertOnly' | 'force'> & Partial<Asked>): ReadingContext {
    const { system } = apiKeyOf(response)
    const { insertOnly, force, directoryOnly = false } = asked
    const rules = { stores, stockWriters, wholeQuantities }
    return { system, insertOnly, force, directoryOnly, ...rules }
  }

  /** Without the sales that the platform has already. */
  async function ofPlatform(resource: Resource, read: ReadLines, { system }: ReadingContext): Promise<ReadLines> {
    return resource.asksEndlessAisle ? await withoutTillOrders(read, endlessAisle, { system, shops }) : read
  }

  function begin(response: Response, scope: SubmitScope, key: string): Submission {
    return createSubmission({ ...options, known }, { system: apiKeyOf(response).system, scope, key })
  }

  /** The items are taken all or none. */
  async function takeWhole(job: Job): Promise<void> {
    const { request, response, resource, asked, context } = job
    if (asked.type === 'json') {
      const read = await bodies.json(request, response, async (body, work) =>
        resource.scope === 'stock-adjustments' && isStockCount(onlyOne(body))
          ? { stockCount: await readStockCount(onlyOne(body), context, work) }
          : await readItems(resource, body, context, work),
      )
      if (read === undefined) return
      return await ('stockCount' in read ? takeCount(job, read.stockCount) : takeRead(read))
    }
    const bytes = await bodies.bytes(request, response)
    if (bytes === null) return
    const all: ReadLines = { lines: [], refused: 0, faults: [] }
    const work = slices.begin()
    for (const group of linesIn(bytes)) {
      const read = await readLines(resource, group, context, work)
      all.lines.push(...read.lines)
      all.refused += read.refused
      all.faults.push(...read.faults.slice(0, LISTED - all.faults.length))
    }
    await takeRead(all)

    async function takeRead(whole: ReadLines): Promise<void> {
      const { lines, refused, faults } = await ofPlatform(resource, whole, context)
      if (asked.dryRun) {
        const trial = dryRun.begin(resource)
        trial.see({ lines, refused, faults })
        return void response.json(await trial.end())
      }
      if (refused > 0) return answerInvalid(response, faults, lines.length + refused)
      const submission = begin(response, resource.scope, asked.key)
      if (!(await submission.take(lines))) return answerKeyReused(response, submission.tally)
      await finish(response, submission, true)
    }
  }

  /** Good lines are taken as they come, bad ones are listed. */
  async function takeStream({ request, response, resource, asked, context }: Job): Promise<void> {
    const work = slices.begin()
    const share = streamShare(options.budget)
    if (share === null) return await answerRefused(request, response, 'over-budget', options.refused)
    response.once('close', share.release)
    const trial = asked.dryRun ? dryRun.begin(resource) : null
    const submission = begin(response, resource.scope, asked.key)
    try {
      for await (const group of linesOf(request, options.silence)) {
        const read = await ofPlatform(resource, await readLines(resource, group, context, work), context)
        if (trial) trial.see(read)
        else {
          for (const fault of read.faults) submission.refuse(fault.line, fault.faults)
          if (!(await submission.take(read.lines))) return answerKeyReused(response, submission.tally)
        }
      }
    } catch (error) {
      if (error instanceof UndecodableError) return answerUnreadable(response, error.message, submission.tally)
      if (!(error instanceof BrokenOffError)) throw error
      if (error.wasSilent) options.refused('too-slow', request.ip)
      logger.warn({ resource: resource.scope, submission: submission.tally.id }, 'submission.broken-off')
      return void response.destroy()
    }
    if (trial) return void response.json(await trial.end())
    await finish(response, submission, false)
  }

  /** A complete stock count: it says what it would do, and does it when that was confirmed. */
  async function takeCount(
    { response, resource, asked }: Job,
    read: Awaited<ReturnType<typeof readStockCount>>,
  ): Promise<void> {
    if ('faults' in read) return answerInvalid(response, [{ line: 1, ...read }], 1)
    const { count, confirmation } = read.value
    if (asked.dryRun) return answerEffect(response, await effectOf(count, platform))
    if (confirmation === null) {
      const faults = [
        'confirmation: found nothing, expected what the same request with ?dryRun=true answers: every article that is not in the count becomes 0',
      ]
      return answerInvalid(response, [{ line: 1, faults }], 1)
    }
    const { system } = apiKeyOf(response)
    const submission = begin(response, resource.scope, asked.key)
    // Sent again after it was taken: what it did has changed the levels since.
    const key = `${resource.scope}/${asked.key}/1`
    const before = await store.seen(system, [key])
    const effect = before.has(key) ? null : await effectOf(count, platform)
    if (effect && effect.confirmation !== confirmation) return answerOutdated(response, effect)
    const lines = [{ line: 1, kind: 'StockCountSubmitted', payload: count }]
    if (!(await submission.take(lines))) return answerKeyReused(response, submission.tally)
    await finish(response, submission, true)
  }

  /** `PATCH /v1/products/{extId}`: description and images, from a PIM. */
  async function submitText(request: Request, response: Response): Promise<void> {
    const key = readPatchKey(request)
    const { extId = '' } = request.params as { extId?: string }
    const body = await bodies.json(request, response)
    if (body === undefined) return
    const reading = readProductText(extId, body)
    if ('faults' in reading) return answerInvalid(response, [{ line: 1, ...reading }], 1)
    const submission = begin(response, 'products', key)
    if (!(await submission.take([{ line: 1, ...reading }]))) return answerKeyReused(response, submission.tally)
    await finish(response, submission, true)
  }

  async function finish(response: Response, submission: Submission, atomic: boolean): Promise<void> {
    await submission.end()
    const { system } = apiKeyOf(response)
    const { id, lines, accepted, duplicates, refused } = submission.tally
    logger.info({ system, submission: id, lines, accepted, duplicates, refused }, 'submission.taken')
    await notePush(response, submission)
    answerTaken(response, submission.tally, atomic)
  }

  /** A push is an act of an operator, with the key of a system; a system's own submission is nobody's. */
  async function notePush(response: Response, { tally }: Submission): Promise<void> {
    const { req: request } = response
    const operator = request.get('x-operator')
    if (!operator) return
    const { id: key, system } = apiKeyOf(response)
    const selection = { submission: tally.id, resource: request.path.replace('/v1/', ''), system, key }
    const act = { at: options.clock.now(), by: actorOf(system, operator), action: 'push', reason: null, refused: null }
    await store.noteAct({ ...act, selection: JSON.stringify(selection), changed: tally.accepted }, [])
  }
}

interface Job {
  request: Request
  response: Response
  resource: Resource
  asked: Asked
  context: ReadingContext
}

function onlyOne(body: unknown): unknown {
  return Array.isArray(body) && body.length === 1 ? body[0] : body
}

const answerError: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof RequestError) answerProblem(response, error.problem)
  else if (error instanceof NotAskableError) answerNotAskable(response, error)
  else if (error instanceof StoresUnknownError)
    answerStoresUnknown(response, error, 'Send it again then, with the same Idempotency-Key.')
  else next(error)
}

const PAGE = 100

/** `GET /v1/submissions/{id}`: what became of a submission, for keys of the system that it is of. */
function createStatus(store: Pick<Store, 'submission' | 'submissionItems'>): RequestHandler {
  return async (request, response) => {
    const { id = '' } = request.params as { id?: string }
    const after = readAfter(request.query.after)
    const found = /^\d{1,15}$/.test(id) ? await store.submission(Number(id)) : null
    if (!found || found.system !== apiKeyOf(response).system) {
      const detail = 'Your system has no submission of this id.'
      return answerProblem(response, { status: 404, code: 'not-found', title: 'Not found', detail })
    }
    const failed = await store.submissionItems(found.id, { states: ['dead', 'held'], after, limit: PAGE })
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
    id,
    resource,
    key,
    receivedAt: formatInstant(receivedAt),
    // Not read to its end: the sender broke off, or is still sending.
    lines: end?.lines ?? null,
    items,
    refused: end?.refused ?? null,
    faults: end?.faults ?? [],
    unrouted,
    destinations,
    done: end !== null && open === 0,
  }
}

function readAfter(written: unknown): number {
  if (written === undefined) return 0
  if (typeof written === 'string' && /^\d{1,15}$/.test(written)) return Number(written)
  throw new UserError('after: give the number of a line.')
}

interface TrialAnswer {
  dryRun: true
  lines: number
  accepted: number
  refused: number
  faults: LineFaults[]
  /** The first ones: nothing that is refused, but something that the till or the reports will miss. */
  warnings: { line: number | null; sort: Sort; text: string }[]
  warningCounts: Partial<Record<Sort, number>>
}

interface Trial {
  see(read: ReadLines): void
  end(): Promise<TrialAnswer>
}

function createDryRun(platform: Platform | null, wantsSubgroup: boolean): { begin(resource: Resource): Trial } {
  return {
    begin(resource) {
      const found = createProductFaults(wantsSubgroup)
      const answer: TrialAnswer = {
        dryRun: true,
        lines: 0,
        accepted: 0,
        refused: 0,
        faults: [],
        warnings: [],
        warningCounts: {},
      }

      function warn(line: number | null, sort: Sort, text: string): void {
        answer.warningCounts[sort] = (answer.warningCounts[sort] ?? 0) + 1
        if (answer.warnings.length < LISTED) answer.warnings.push({ line, sort, text })
      }

      return {
        see({ lines, refused, faults }) {
          answer.lines += lines.length + refused
          answer.accepted += lines.length
          answer.refused += refused
          answer.faults.push(...faults.slice(0, LISTED - answer.faults.length))
          for (const { line, kind, payload } of lines)
            for (const { sort, text } of found.see(line, kind, payload)) warn(line, sort, text)
        },
        async end() {
          if (answer.accepted > 0) for (const { sort, text } of await ofThePlatform(resource)) warn(null, sort, text)
          return answer
        },
      }

      async function ofThePlatform({ scope }: Resource): Promise<{ sort: Sort; text: string }[]> {
        if (scope !== 'products' && scope !== 'prices') return []
        if (!platform) return [notAsked('the hub has no platform.baseUrl')]
        try {
          const { rows, aside } = await platform.prices.lists()
          const unreadable = asideText(aside)
          return unreadable === null ? found.newLists(rows.map(({ name }) => name)) : [notAsked(unreadable)]
        } catch {
          return [notAsked('it did not answer')]
        }
      }
    },
  }
}

function notAsked(why: string): { sort: Sort; text: string } {
  return { sort: 'platform-not-asked', text: `Price lists were not compared with the platform's: ${why}.` }
}

interface ChangeOptions {
  known: KnownOrders
  store: Pick<Store, 'seen'>
  bodies: Pick<WholeBodies, 'json'>
  contextOf(response: Response): ReadingContext
  begin(response: Response, key: string): Submission
  finish(response: Response, submission: Submission): Promise<void>
}

/** `PUT` and `DELETE /v1/orders/{orderNo}`: what becomes of an order that was submitted before. */
function createOrderChanges({ known, store, bodies, contextOf, begin, finish }: ChangeOptions) {
  /** The whole order, in place of what was submitted. */
  const change: RequestHandler = async (request, response) => {
    const key = readPatchKey(request)
    const orderNo = numberIn(request.params)
    const context = contextOf(response)
    const body = await bodies.json(request, response)
    if (body === undefined) return
    const reading = readChange(orderNo, body, context)
    if ('faults' in reading) return answerInvalid(response, [{ line: 1, ...reading }], 1)
    const before = await orderOf(orderNo, response)
    // Sent again after it was taken: the order may have been cancelled since.
    if (before.cancelled && !(await wasTaken(response, key))) throw orderCancelled(orderNo)
    const moved = movedFault(reading.payload as SubmittedOrder, latestOf(orderNo, before))
    if (moved !== null) return answerInvalid(response, [{ line: 1, faults: [moved] }], 1)
    await take(response, key, reading)
  }

  const cancel: RequestHandler = async (request, response) => {
    const key = readDeleteKey(request)
    const orderNo = numberIn(request.params)
    const { storeId, stockId } = latestOf(orderNo, await orderOf(orderNo, response))
    const payload: SubmittedCancellation = { orderNo, storeId, stockId }
    await take(response, key, { kind: 'OrderCancelSubmitted', payload })
  }

  return { change, cancel }

  /** The order, for a key that may change it; other keys learn nothing. */
  async function orderOf(orderNo: string, response: Response): Promise<KnownOrder> {
    const found = await known.find(orderNo)
    if (found === null) throw noSuchOrder()
    const key = apiKeyOf(response)
    if (!mayChange(found, key.system, { any: mayDo(key, ANY_ORDER) })) throw ofAnother(orderNo, key)
    return found
  }

  async function wasTaken(response: Response, key: string): Promise<boolean> {
    const transportKey = `orders/${key}/1`
    return (await store.seen(apiKeyOf(response).system, [transportKey])).has(transportKey)
  }

  async function take(response: Response, key: string, readable: Readable): Promise<void> {
    const submission = begin(response, key)
    if (await submission.take([{ line: 1, ...readable }])) await finish(response, submission)
    else answerKeyReused(response, submission.tally)
  }
}

function numberIn(params: object): string {
  return (params as { orderNo?: string }).orderNo?.trim() ?? ''
}

function latestOf(orderNo: string, { latest }: KnownOrder): SubmittedOrder {
  if (latest !== null) return latest
  throw new RequestError({
    status: 409,
    code: 'order-not-kept',
    title: 'The order is not kept any more',
    detail: `Nothing is changed: ${notKept(orderNo)}.`,
  })
}

function noSuchOrder(): RequestError {
  return new RequestError({
    status: 404,
    code: 'no-such-order',
    title: 'No such order',
    detail: 'No order of this number was submitted: POST it to /v1/orders first.',
  })
}

function ofAnother(orderNo: string, key: ApiKey): RequestError {
  return new RequestError({
    status: 403,
    code: 'order-of-another',
    title: 'The order of another system',
    detail:
      `Order ${orderNo} was submitted by another system than ${key.system}, and is changed and cancelled by that one, or ` +
      `with the scope ${ANY_ORDER}. ${makeOneWith(key, ANY_ORDER)}`,
  })
}

function orderCancelled(orderNo: string): RequestError {
  return new RequestError({
    status: 409,
    code: 'order-cancelled',
    title: 'The order was cancelled',
    detail: `Order ${orderNo} was cancelled, and cannot be changed any more. Submit it anew under another number.`,
  })
}
