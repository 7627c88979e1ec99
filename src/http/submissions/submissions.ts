import { hash } from 'node:crypto'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type {
  SubmittedOrder,
  SubmittedPrice,
  SubmittedProduct,
  SubmittedSize,
  SubmittedStockCount,
} from '../../domain/catalogue/submitted.ts'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { actorOf, SUBMIT_SCOPES, type SubmitScope } from '../../domain/scope.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { rejectedText } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { LineFaults } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { apiKeyOf, type createApiKeyCheck } from '../api-key.ts'
import { refusal } from '../problem.ts'
import { answerRefused } from '../refusals.ts'
import { parseSubmitOptions, readKeyOfOne, type SubmitOptions } from './asked.ts'
import {
  BrokenOffError,
  LISTED,
  linesOf,
  type ReadLines,
  readItems,
  readLines,
  UndecodableError,
} from './body/read-body.ts'
import { streamShare, unreadable, type WholeBodies, type WholeBodyOptions } from './body/whole-body.ts'
import {
  cancellationOf,
  createEndlessAisle,
  createKnownOrders,
  latestOf,
  movedFault,
  orderCancelled,
  orderOf,
  withoutPosOrders,
} from './known-orders.ts'
import { answerOpenApi } from './openapi.ts'
import type { Checked, Reading, ReadingContext } from './reading.ts'
import { readProductText } from './resources/catalogue.ts'
import { isStockCount, type ReadCount, readStockCount } from './resources/stock.ts'
import { readOrderChange } from './resources/trade.ts'
import { RESOURCES } from './resources.ts'
import { createStoreFinder } from './stores.ts'
import { answerTaken, createStatus, createSubmission, invalid, type Submission, transportKey } from './take.ts'

interface Options extends Omit<WholeBodyOptions, 'limits'> {
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
  asked: SubmitOptions
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
  router.patch(
    '/v1/products/:name',
    check('products'),
    submitOne('products', ({ name, body }) => readProductText(name, body)),
  )
  router.put('/v1/orders/:name', check('orders'), submitOne('orders', orderChange))
  router.delete('/v1/orders/:name', check('orders'), submitOne('orders', orderCancellation))
  router.get('/v1/submissions/:id', check(null), createStatus(storage))
  // Nothing secret, but not for strangers.
  router.get('/openapi.json', check(null), answerOpenApi)
  return router

  function submit(scope: SubmitScope): RequestHandler {
    return async (request, response) => {
      const asked = parseSubmitOptions(request, scope)
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
    return RESOURCES[scope].asksEndlessAisle ? await withoutPosOrders(read, endlessAisle, system, shops) : read
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
    if (confirmation === null) throw invalid([{ line: 1, faults: [NOT_CONFIRMED] }], 1)
    // A repeated request: the count itself has changed the levels.
    if (!(await wasTaken(apiKeyOf(response).system, transportKey(scope, asked.key, 1)))) {
      const effect = await effectOf(count, platform)
      if (effect.confirmation !== confirmation) throw refusal('confirmation-stale', STALE, { ...effect })
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
    await storage.noteAct({
      ...{ at: options.clock.now(), by: actorOf(system, operator), action: 'push', changed: takeCounts.accepted },
      selection: { submission: takeCounts.id, resource: request.path.replace('/v1/', ''), system, key },
    })
  }
}

const NOT_CONFIRMED =
  'confirmation: found nothing, expected what the same request with ?dryRun=true answers: every article that is not in the count becomes 0'

const STALE =
  'The confirmation is not for this count and the articles that would become 0 now. Nothing was taken. Look at the ' +
  'new list, and send the count again with its confirmation.'

/** By the platform's current levels; the confirmation proves that an operator saw the list. */
async function effectOf(count: SubmittedStockCount, platform: Platform | null) {
  const notAskable = (detail: string) => refusal('platform-unavailable', detail)
  if (!platform) throw notAskable('The hub has no platform.baseUrl, so it cannot ask for the levels.')
  const { rows, rejected } = await platform.stock.levels({ stockIds: [count.stockId] }).catch((error: unknown) => {
    const outcome = outcomeOf(error)
    const why = 'why' in outcome ? outcome.why : ''
    throw notAskable(`The platform did not tell the levels of stock ${count.stockId}: ${why}`)
  })
  const unreadable = rejectedText(rejected)
  if (unreadable !== null)
    throw notAskable(
      `What the platform told of stock ${count.stockId} does not say all that would become 0: ${unreadable}.`,
    )
  const counted = new Set(count.items.map(({ gtin }) => gtin))
  const wouldBecomeZero = rows
    .map(({ id, quantity }) => ({ gtin: id.trim(), quantity }))
    .filter(({ gtin, quantity }) => quantity !== '0' && !counted.has(gtin))
    .sort((a, b) => (a.gtin < b.gtin ? -1 : 1))
  // Not the levels: sales during the count do not matter.
  const confirmed = [count.stockId, count.stockCountTime, count.items, wouldBecomeZero.map(({ gtin }) => gtin)]
  const confirmation = hash('sha256', JSON.stringify(confirmed)).slice(0, 32)
  return { wouldBecomeZero, count: wouldBecomeZero.length, confirmation }
}

type Sort =
  | `missing-${'name' | 'number' | 'color-code' | 'brand' | 'group' | 'season' | 'color' | 'sizes' | 'gtin' | 'sku'}`
  | `missing-${'size-label' | 'price'}`
  | 'group-without-subgroup'
  | `duplicate-${'ext-id' | 'gtin'}`
  | 'invalid-gtin'
  | 'new-price-list'
  | 'platform-not-asked'

interface Fault {
  sort: Sort
  text: string
}

function createDryRun(scope: SubmitScope, { platform, wantsSubgroup }: Pick<Options, 'platform' | 'wantsSubgroup'>) {
  const found = createProductFaults(wantsSubgroup)
  const counts = { lines: 0, accepted: 0, refused: 0 }
  const faults: LineFaults[] = []
  const warnings: (Fault & { line: number | null })[] = []
  const warningCounts: Partial<Record<Sort, number>> = {}

  function warn(line: number | null, { sort, text }: Fault): void {
    warningCounts[sort] = (warningCounts[sort] ?? 0) + 1
    if (warnings.length < LISTED) warnings.push({ line, sort, text })
  }

  async function ofThePlatform(): Promise<Fault[]> {
    if (scope !== 'products' && scope !== 'prices') return []
    if (!platform) return [notAsked('the hub has no platform.baseUrl')]
    try {
      const { rows, rejected } = await platform.prices.lists()
      const unreadable = rejectedText(rejected)
      return unreadable === null ? found.newLists(rows.map(({ name }) => name)) : [notAsked(unreadable)]
    } catch {
      return [notAsked('it did not answer')]
    }
  }

  return {
    see(read: ReadLines): void {
      counts.lines += read.lines.length + read.refused
      counts.accepted += read.lines.length
      counts.refused += read.refused
      faults.push(...read.faults.slice(0, LISTED - faults.length))
      for (const { line, kind, payload } of read.lines)
        for (const warning of found.see(line, kind, payload)) warn(line, warning)
    },
    async end(): Promise<object> {
      if (counts.accepted > 0) for (const warning of await ofThePlatform()) warn(null, warning)
      return { dryRun: true, ...counts, faults, warnings, warningCounts }
    },
  }
}

function notAsked(why: string): Fault {
  return { sort: 'platform-not-asked', text: `Price lists were not compared with the platform's: ${why}.` }
}

const MAX_KEYS = 1_000_000

export function createProductFaults(wantsSubgroup = false) {
  const lineOfExtId = new Map<string, number>()
  const lineOfGtin = new Map<string, number>()
  const linesOfList = new Map<string, number>()

  function seeProduct(line: number, product: SubmittedProduct): Fault[] {
    const { extId, productPrices = [], productSizes = [] } = product
    const first = remember(lineOfExtId, extId, line)
    if (first !== null)
      return [fault('duplicate-ext-id', `extId ${extId} was in line ${first} already: the later one wins`)]
    for (const { pricelistName } of productPrices) countList(pricelistName)
    return [
      ...missing(product, wantsSubgroup),
      ...productSizes.flatMap((size, index) => missingOfSize(extId, size, index)),
      ...productSizes.flatMap(({ gtin }) => (gtin === undefined ? [] : gtinFaults(line, extId, gtin))),
    ]
  }

  function gtinFaults(line: number, extId: string, gtin: string): Fault[] {
    const first = remember(lineOfGtin, gtin, line)
    const again = first === null ? [] : [fault('duplicate-gtin', `${extId}: GTIN ${gtin} was in line ${first} already`)]
    return [...invalidGtin(gtin), ...again]
  }

  function countList(list: string): void {
    linesOfList.set(list, (linesOfList.get(list) ?? 0) + 1)
  }

  function remember(lines: Map<string, number>, key: string, line: number): number | null {
    const first = lines.get(key) ?? null
    if (first === null && lines.size < MAX_KEYS) lines.set(key, line)
    return first
  }

  return {
    see(line: number, kind: string, payload: object): Fault[] {
      if (kind === 'ProductSubmitted') return seeProduct(line, payload as SubmittedProduct)
      const { list, gtin } = payload as Partial<SubmittedPrice>
      if (kind === 'PriceSubmitted' && list !== undefined) countList(list)
      return gtin === undefined ? [] : invalidGtin(gtin)
    },
    newLists(lists: readonly string[]): Fault[] {
      return [...linesOfList]
        .filter(([list]) => !lists.includes(list))
        .map(([list, lines]) =>
          fault('new-price-list', `the platform has no price list ${list} yet (${lines} prices): it would be created`),
        )
    },
  }
}

/** Spec, "Basic master data". A missing extId is refused elsewhere. */
const REQUIRED: readonly [keyof SubmittedProduct, Sort, string][] = [
  ['name', 'missing-name', 'no name'],
  ['number', 'missing-number', 'no number (of the style)'],
  ['variant', 'missing-color-code', 'no variant (color code)'],
  ['brand', 'missing-brand', 'no brand'],
  ['groupName', 'missing-group', 'no groupName'],
  ['season', 'missing-season', 'no season'],
  ['color', 'missing-color', 'no color'],
]

function missing(product: SubmittedProduct, wantsSubgroup: boolean): Fault[] {
  const { extId, price, productPrices, productSizes, groupName, subgroupName } = product
  const faults = REQUIRED.filter(([name]) => product[name] === undefined).map(([, sort, text]) =>
    fault(sort, `${extId} has ${text}`),
  )
  if (!productSizes?.length) faults.push(fault('missing-sizes', `${extId} has no productSizes`))
  if (price === undefined && !productPrices?.length)
    faults.push(fault('missing-price', `${extId} has no price: without one in its list no store can sell it`))
  if (wantsSubgroup && groupName !== undefined && subgroupName === undefined)
    faults.push(fault('group-without-subgroup', `${extId} has a groupName and no subgroupName`))
  return faults
}

function missingOfSize(extId: string, { gtin, externalSKU, label }: SubmittedSize, index: number): Fault[] {
  const size = `${extId}: size ${label ?? index + 1}`
  return [
    ...(gtin === undefined ? [fault('missing-gtin', `${size} has no gtin`)] : []),
    ...(externalSKU === undefined ? [fault('missing-sku', `${size} has no externalSKU`)] : []),
    ...(label === undefined ? [fault('missing-size-label', `${size} has no label`)] : []),
  ]
}

function invalidGtin(gtin: string): Fault[] {
  if (!/^(\d{8}|\d{12,14})$/.test(gtin)) return [fault('invalid-gtin', `GTIN ${gtin} is not of 8, 12, 13 or 14 digits`)]
  const digits = [...gtin].map(Number)
  const sum = digits
    .slice(0, -1)
    .reverse()
    .reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 3 : 1), 0)
  const right = (10 - (sum % 10)) % 10
  if (digits.at(-1) === right) return []
  return [fault('invalid-gtin', `GTIN ${gtin} ends with a wrong check digit: ${right} would be right`)]
}

function fault(sort: Sort, text: string): Fault {
  return { sort, text }
}
