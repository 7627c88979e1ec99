import type { Attempt, Effect, FoundEffect } from '../../ports/attempt.ts'
import type { OrdersCall, OrdersPort } from '../../ports/orders.ts'
import type { Api } from './asking/api.ts'
import { canBeFound, findAllEffects, findEffect, type Method, makeEffect } from './effects.ts'
import { foundOrders } from './found.ts'
import { ORDER_EFFECTS, orderSubject } from './mapping/inputs.ts'
import type { RestOptions } from './schema.ts'
import { search } from './search.ts'
import { tallyOf } from './tally.ts'

type Written = NonNullable<RestOptions['orders']>

/** The orders port of what config has: each of its methods, and a find where one of them can be looked for. */
export function createOrders(api: Api, written: Written, destination: string): OrdersPort {
  const methods = new Map<string, Method>()
  for (const name of ORDER_EFFECTS) {
    const effects = written[name]
    if (effects) methods.set(name, { where: `${destination}: orders.${name}`, written: effects, once: true })
  }

  function one(call: OrdersCall, attempt: Attempt): Promise<Effect> {
    const method = methods.get(call.method)
    if (!method) throw new TypeError(`${destination}: there is no orders.${call.method} in config`)
    return makeEffect(api, method, orderSubject(call), attempt)
  }

  const port: Required<Omit<OrdersPort, 'search' | 'find' | 'findAll' | 'tally'>> = {
    create: (argument, attempt) => one({ port: 'orders', method: 'create', argument }, attempt),
    draft: (argument, attempt) => one({ port: 'orders', method: 'draft', argument }, attempt),
    ready: (argument, attempt) => one({ port: 'orders', method: 'ready', argument }, attempt),
    collected: (argument, attempt) => one({ port: 'orders', method: 'collected', argument }, attempt),
    decline: (argument, attempt) => one({ port: 'orders', method: 'decline', argument }, attempt),
    expire: (argument, attempt) => one({ port: 'orders', method: 'expire', argument }, attempt),
    ship: (argument, attempt) => one({ port: 'orders', method: 'ship', argument }, attempt),
    refund: (argument, attempt) => one({ port: 'orders', method: 'refund', argument }, attempt),
    noteRefund: (argument, attempt) => one({ port: 'orders', method: 'noteRefund', argument }, attempt),
  }
  const given = Object.fromEntries(Object.entries(port).filter(([name]) => methods.has(name)))
  return {
    ...(given as Pick<OrdersPort, (typeof ORDER_EFFECTS)[number]>),
    ...searchOf(api, written.search, `${destination}: orders.search`),
    ...([...methods.values()].some(canBeFound) && { find, findAll }),
    ...tallyOf(api, methods.get('create')),
  }

  async function find(attempt: Attempt, call: { port: string; method: string }): Promise<Effect | null> {
    const method = methods.get(call.method)
    return method ? await findEffect(api, method, orderSubject(call as OrdersCall), attempt) : null
  }

  async function findAll(attempt: Attempt, call: OrdersCall): Promise<FoundEffect[] | null> {
    const method = methods.get(call.method)
    return method ? await findAllEffects(api, method, orderSubject(call), attempt) : null
  }
}

function searchOf(api: Api, template: Written['search'], where: string): Pick<OrdersPort, 'search'> {
  if (!template) return {}
  return {
    async search(number, { signal, theirIds = [] }) {
      const one = (input: object) =>
        search(api, { where, template, input, signal }, (over) => foundOrders(where, template.answer, over))
      if (theirIds.length === 0) return await one({ number })
      const each = theirIds.map(async (theirId) =>
        (await one({ number, theirId })).map((found) => ({ ...found, theirId })),
      )
      return (await Promise.all(each)).flat()
    },
  }
}
