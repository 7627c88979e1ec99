import type { Request } from 'express'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { STORES, type Store } from '../stores.ts'

/** Reads a body. The platform's binder does not mind the case of a field's name (`stockid`, `stockID`), so neither does this. */
export function readBody<Read>(schema: z.ZodType<Read>, body: unknown, names: readonly string[]): Read {
  const read = schema.safeParse(rename(body, new Map(names.map((name) => [name.toLowerCase(), name]))))
  if (!read.success) throw new Refusal(400, z.prettifyError(read.error))
  return read.data
}

/** The store that the header `X-StoreId` names; it is required (spec, Authentication 2 and 3). */
export function storeOfHeader(request: Request): Store {
  const given = request.get('x-storeid')
  if (given === undefined) throw new Refusal(400, 'The header X-StoreId is required.')
  const store = STORES.find(({ StoreId }) => String(StoreId) === given)
  if (!store) throw new Refusal(400, `X-StoreId ${given}: there is no such store.`)
  return store
}

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [names.get(name.toLowerCase()) ?? name, rename(inner, names)]),
  )
}
