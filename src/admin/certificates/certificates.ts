import { Router } from 'express'
import { z } from 'zod'
import type { Certificate } from '../../domain/ledger/certificate/certificate.ts'
import { signed } from '../../domain/ledger/certificate/sign.ts'
import { type KeptSigningKey, newSigningKey, type SigningKey } from '../../domain/ledger/certificate/signing-key.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { askedStore } from '../asked-store.ts'
import { operatorOf } from '../asking.ts'
import { Day, parse } from '../filters.ts'
import { type DayRecords, type Means, stateDay } from './state-day.ts'

interface Options extends Means {
  store: DayRecords & Pick<Store, 'stores' | 'signingKeys' | 'addSigningKey'>
  /** How much is mirrored; null: nothing. */
  mirrored: 'stock' | 'all' | null
  acts: Acts
  clock: Pick<Clock, 'now'>
}

/** Answer of `/admin/certificates/keys`. */
export interface SigningKeys {
  keys: SigningKey[]
}

const Asked = z.strictObject({ store: z.string(), day: Day })

/** `/admin/certificates`: what the hub has of one day of one store, signed; `store` is its number, or the platform's id. */
export function createCertificatesAdmin({ store, mirrored, acts, clock, ...means }: Options): Router {
  const router = Router()

  router.post('/', acts.of('certify'), async (request, response) => {
    const asked = parse(Asked, request.body)
    if (mirrored !== 'all')
      throw new UserError('The hub keeps no sales and settlements: set mirror to all in the config first.')
    const place = askedStore(asked.store, await store.stores())
    const statement = await stateDay(store, means, place, asked.day, clock.now())
    const certificate: Certificate = signed(statement, await signingKey(operatorOf(request)))
    await acts.note(request, { action: 'certify', selection: asked, changed: 1 })
    response.status(201).json(certificate)
  })

  router.get('/keys', async (_, response) => {
    response.json({ keys: (await store.signingKeys()).map(shown) } satisfies SigningKeys)
  })

  router.post('/keys/rotate', acts.of('rotate-signing-key'), async (request, response) => {
    response.status(201).json(shown(await newKey(operatorOf(request))))
  })

  return router

  /** The key that signs now; the first use makes it. */
  async function signingKey(by: string): Promise<KeptSigningKey> {
    const known = (await store.signingKeys()).findLast(({ retiredAt }) => retiredAt === null)
    return known ?? (await newKey(by))
  }

  async function newKey(by: string): Promise<KeptSigningKey> {
    const key = newSigningKey(clock.now(), by)
    await store.addSigningKey(key)
    return key
  }
}

function shown({ privateKey: _, ...key }: KeptSigningKey): SigningKey {
  return key
}
