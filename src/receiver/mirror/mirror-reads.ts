import { type Request, type Response, Router } from 'express'
import { mayDo, readScope, type Scope } from '../../domain/access/scope.ts'
import type { StoreIndex } from '../../domain/places/store-index.ts'
import { answerProblem } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import { answerMayNot, apiKeyOf, type createApiKeyCheck } from '../api-key.ts'
import { csv, ndjson, streamPages } from './formats.ts'
import { createPages, type Records } from './pages.ts'
import { type Format, MEDIA_TYPES, readAsked, writeCursor } from './query.ts'
import { READ_SETS, type ReadSet } from './sets.ts'

interface Options {
  check: ReturnType<typeof createApiKeyCheck>
  store: Records
  /** The platform's stores, as they are known at the moment. */
  storeIndex: () => StoreIndex
  /** How much the config has mirrored. */
  mirrored: 'all' | 'stock' | null
  /** The config has customers kept. */
  keepsCustomers: boolean
  logger: Logger
}

/** The scope to hand customers in is the one to read what is of persons, in the sets that the key may read. */
const PERSONAL: Scope = 'customers'

/** `GET /v1/{set}`: what the hub has a copy of, for own systems. */
export function createMirrorReads(options: Options): Router {
  const { check, store, storeIndex, logger } = options
  const router = Router()
  for (const set of READ_SETS)
    router.get(`/v1/${set.name}`, check(readScope(set.name)), (request, response) => read(set, request, response))
  return router

  async function read(set: ReadSet, request: Request, response: Response): Promise<void> {
    const missing = missingKey(set, options)
    if (missing !== null) return answerNotMirrored(response, set, missing)
    const format = formatOf(request)
    const asked = readAsked(request, set, format)
    const key = apiKeyOf(response)
    if (asked.personal && !mayDo(key, PERSONAL))
      return answerMayNot(response, key, PERSONAL, 'personal: leave it out, or use another key. ')
    const fields = set.fields.filter(({ isPersonal }) => asked.personal || !isPersonal)
    const given = { fields, isAll: format !== 'json' }
    const readPage = await createPages(store, storeIndex(), set, asked.filters, given)
    const asker = { key: key.id, system: key.system, set: set.name }
    if (asked.personal) logger.info(asker, 'mirror.personal-read')
    response.set({ 'Cache-Control': 'no-store', Vary: 'Accept' })
    if (format === 'json') {
      const { items, next } = await readPage(asked.after, asked.limit)
      return void response.json({ items, next: next && writeCursor(next) })
    }
    const writer = format === 'csv' ? csv(fields, { rows: asked.rows, guards: !asked.raw }) : ndjson
    if (request.method === 'HEAD') return void response.type(writer.mediaType).end()
    const { count, isWhole } = await streamPages(response, readPage, asked.after, writer)
    logger.info({ ...asker, count, isWhole }, 'mirror.streamed')
  }
}

function formatOf(request: Request): Format {
  const accepted = request.accepts('json', MEDIA_TYPES.ndjson, 'application/ndjson', MEDIA_TYPES.csv)
  if (accepted === MEDIA_TYPES.csv) return 'csv'
  return accepted === MEDIA_TYPES.ndjson || accepted === 'application/ndjson' ? 'ndjson' : 'json'
}

/** The key of config that is missing for there to be something to read. Null: none is. */
function missingKey({ kept }: ReadSet, { mirrored, keepsCustomers }: Options): string | null {
  if (kept === 'customers') return keepsCustomers ? null : 'lookups.customers, for whose answers they are kept'
  if (kept === 'all') return mirrored === 'all' ? null : 'mirror: all'
  if (kept === 'stock') return mirrored === null ? 'mirror: stock, or mirror: all' : null
  return null
}

function answerNotMirrored(response: Response, { name }: ReadSet, missing: string): void {
  answerProblem(response, {
    status: 404,
    code: 'not-mirrored',
    title: 'Not mirrored',
    detail: `The hub keeps no copy of ${name}. Its config would have to say ${missing}.`,
  })
}
