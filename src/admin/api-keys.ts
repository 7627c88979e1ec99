import { randomBytes } from 'node:crypto'
import { Router } from 'express'
import { z } from 'zod'
import { hashSecret, writeKey } from '../domain/access/scope.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { notFound, operatorOf } from './asking.ts'
import { parse } from './filters.ts'
import { parseScopes } from './parse-scopes.ts'

interface Options {
  store: Pick<Store, 'apiKeys' | 'createApiKey' | 'revokeApiKey'>
  acts: Acts
  clock: Clock
  logger: Logger
}

const ID = /^[0-9a-f]{16}$/

const Create = z.strictObject({
  system: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and hyphens, 40 at most')
    // Events of a key's system have its name as origin; the platform has that one.
    .refine((name) => name !== PLATFORM, `"${PLATFORM}" is the name of the platform itself`),
  may: z.string(),
})

/** `/admin/keys`: API keys of own systems. The answer to a creation is the only place where a key is ever shown. */
export function createApiKeysAdmin({ store, acts, clock, logger }: Options): Router {
  const router = Router()

  router.get('/', async (_, response) => {
    response.json({ keys: await store.apiKeys() })
  })

  router.post('/', acts.of('create-key'), async (request, response) => {
    const { system, may } = parse(Create, request.body)
    const id = randomBytes(8).toString('hex')
    const secret = randomBytes(32).toString('base64url')
    const made = { id, system, scopes: parseScopes(may), createdAt: clock.now(), createdBy: operatorOf(request) }
    const shown = { ...made, lastUsedAt: null, revokedAt: null }
    await store.createApiKey({ ...shown, secretHash: hashSecret(secret) })
    logger.warn({ id, system, scopes: made.scopes, by: made.createdBy }, 'api-key.created')
    response.status(201)
    response.json({ ...shown, key: writeKey(id, secret) })
  })

  router.post('/:id/revoke', acts.of('revoke-key'), async (request, response) => {
    const by = operatorOf(request)
    const id = String(request.params.id)
    // A text that is no id may be a whole key, pasted by mistake: it goes nowhere, and is not repeated.
    const key = ID.test(id) ? await store.revokeApiKey(id, by, clock.now()) : null
    if (!key) return notFound(response, 'There is no key of that id. Ask "tillbridge keys list" for the ids.')
    logger.warn({ id: key.id, system: key.system, by }, 'api-key.revoked')
    response.json(key)
  })

  return router
}
