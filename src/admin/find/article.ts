import { Router } from 'express'
import { z } from 'zod'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { UserError } from '../../domain/values/errors.ts'
import { asideText, type Listed } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import { parse } from '../filters.ts'

interface Options {
  /** Null: config has none. */
  platform: Pick<Platform, 'products' | 'listedPrices'> | null
}

type Texts<Name extends string> = Record<Name, string | null>

/** One article as the platform has it now. A part is null where the platform did not tell it; `untold` says why. */
export interface Article {
  gtin: string
  product: Texts<'productId' | 'extId' | 'name' | 'variant' | 'price'> | null
  /** In all lists. */
  prices: Texts<'list' | 'currency' | 'price' | 'validFrom' | 'validTo'>[] | null
  /** In each stock. */
  costs: Texts<'stockId' | 'stockExtId' | 'currency' | 'cost'>[] | null
  untold: string[]
}

const Gtin = z.string().min(1).max(50)

/** A person waits for it (milliseconds). */
const PATIENCE = 15_000

/** `/admin/articles/{gtin}`: the platform is asked each time, and nothing of it is kept. */
export function createArticlesAdmin({ platform }: Options): Router {
  const router = Router()
  router.get('/:gtin', async ({ params }, response) => {
    if (!platform) throw new UserError('config has no platform.baseUrl, so nobody can be asked.')
    response.json(await articleOf(parse(Gtin, params.gtin), platform))
  })
  return router
}

async function articleOf(gtin: string, { products, listedPrices }: NonNullable<Options['platform']>): Promise<Article> {
  const signal = AbortSignal.timeout(PATIENCE)
  const untold: string[] = []
  async function told<T>(what: string, read: Promise<T>): Promise<T | null> {
    try {
      return await read
    } catch (error) {
      const outcome = outcomeOf(error)
      untold.push(`${what}: ${'why' in outcome ? outcome.why : 'nobody knows why'}`)
      return null
    }
  }
  function rowsOf<T>(what: string, listed: Listed<T> | undefined): T[] | null {
    const unreadable = listed && asideText(listed.aside)
    if (unreadable) untold.push(`${what}, in part: ${unreadable}`)
    return listed?.rows ?? null
  }
  const [product, found] = await Promise.all([
    told('the product', products.byGtin(gtin, signal)),
    told('its prices and costs', listedPrices.byGtin(gtin, signal)),
  ])
  const prices = rowsOf('its prices', found?.prices)
  const costPrices = rowsOf('its costs', found?.costs)
  return {
    gtin,
    product: product && only(product, 'productId', 'extId', 'name', 'variant', 'price'),
    prices: prices?.map((one) => only(one, 'list', 'currency', 'price', 'validFrom', 'validTo')) ?? null,
    costs: costPrices?.map((one) => only(one, 'stockId', 'stockExtId', 'currency', 'cost')) ?? null,
    untold,
  }
}

function only<Name extends string>(record: Texts<Name>, ...names: Name[]): Texts<Name> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Texts<Name>
}
