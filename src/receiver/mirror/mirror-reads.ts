import { type Request, type RequestHandler, type Response, Router } from 'express'
import { mayDo } from '../../domain/api-key.ts'
import { UserError } from '../../domain/errors.ts'
import type { StoreDirectory } from '../../domain/store-directory.ts'
import type { Logger } from '../../lib/logger.ts'
import { answerProblem } from '../../lib/problem.ts'
import { apiKeyOf, type createApiKeyCheck } from '../api-key.ts'
import { readAsked } from './asked.ts'
import { writeCursor } from './cursor.ts'
import { createPages, type Records } from './pages.ts'
import type { ReadSet } from './read-set.ts'
import { READ_SETS } from './sets.ts'
import { streamPages } from './stream.ts'

interface Options {
  check: ReturnType<typeof createApiKeyCheck>
  store: Records
  /** The platform's stores, as they are known at the moment. */
  directory: () => StoreDirectory
  /** How much the config has mirrored. */
  mirrored: 'all' | 'stock' | null
  /** The config has customers kept. */
  keepsCustomers: boolean
  logger: Logger
}

/** `GET /v1/{set}`: what the hub has a copy of, for own systems. */
export function createMirrorReads(options: Options): Router {
  const { check, store, directory, logger } = options
  const router = Router()
  for (const set of READ_SETS) router.get(`/v1/${set.name}`, check(null), read(set))
  return router

  function read(set: ReadSet): RequestHandler {
    return async (request, response) => {
      const missing = missingKey(set, options)
      if (missing !== null) return answerNotMirrored(response, set, missing)
      const asked = readAsked(request, set)
      if (asked.personal && !mayReadPersonal(set, response)) return
      const fields = set.fields.filter(({ isPersonal }) => asked.personal || !isPersonal)
      const readPage = createPages(store, directory(), set, asked, fields)
      const lines = wantsLines(request)
      response.set('Cache-Control', 'no-store')
      if (asked.limit === 'all' && lines) return await stream(set, response, () => streamPages(response, readPage, asked.after))
      if (asked.limit === 'all') throw new UserError(`limit: all is a stream: send Accept: ${NDJSON}.`)
      if (lines) throw new UserError(`limit: ${NDJSON} is a stream: ask for limit=all, or accept application/json.`)
      const { items, next } = await readPage(asked.after, asked.limit)
      response.json({ items, next: next && writeCursor(next) })
    }
  }
}
