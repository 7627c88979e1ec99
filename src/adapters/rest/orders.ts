import { z } from 'zod'
import type { Reconciled } from '../../domain/completeness/reconciled.ts'
import type { CustomerRecord } from '../../domain/customers/customer-record.ts'
import type { FoundOrder } from '../../domain/orders/order.ts'
import { isItemError } from '../../domain/values/errors.ts'
import type { Attempt, Effect, Question } from '../../ports/attempt.ts'
import type {
  CustomersPort,
  GivenOrder,
  OrdersCall,
  OrdersPort,
  ReconcileOrders,
  RefundCall,
} from '../../ports/ports.ts'
import { type Api, ask, type Reading } from './api.ts'
import {
  canBeFound,
  countEffects,
  customerSubject,
  findEffect,
  isLookedFor,
  type Method,
  makeEffect,
  ORDER_EFFECTS,
  orderSubject,
} from './effects.ts'
import { Amount, at, listOf, listOfAll, mapped, Needed, Optional, parsed, type SearchTemplate } from './mapping.ts'
import type { RestOptions, WrittenEffects } from './options.ts'

/** By the `find` of `create`. */
function tallyOf(api: Api, method: Method | undefined): Partial<ReconcileOrders> {
  if (!method || !isLookedFor(method)) return {}
  const create = method

  async function one({ keys, order, givenAt, links }: GivenOrder, { signal }: Question): Promise<Reconciled> {
    const ours = async (kind: string, ids: string[]) =>
      links.filter((link) => link.kind === kind && ids.includes(link.id))
    const call = orderSubject({ port: 'orders', method: 'create', argument: order })
    try {
      for (const key of keys) {
        const attempt = { key, previous: 'open', firstTriedAt: givenAt, signal, links: ours } as const
        const count = await countEffects(api, create, call, attempt)
        if (count > 0) return { is: 'there', count, amount: null }
      }
      return { is: 'lacking' }
    } catch (error) {
      if (isItemError(error)) return { is: 'unknown', why: error.message }
      throw error
    }
  }

  return {
    async reconcile(given, question) {
      const answers: Reconciled[] = []
      for (const each of given) answers.push(await one(each, question))
      return answers
    },
  }
}

type Written = NonNullable<RestOptions['orders']>

export function createOrders(api: Api, written: Written, destination: string): OrdersPort {
  const methods = new Map<string, Method>()
  for (const name of ORDER_EFFECTS) {
    const effects = written[name]
    if (effects) methods.set(name, { where: `${destination}: orders.${name}`, written: effects, once: true })
  }

  const given = [...methods].map(([name, method]) => [
    name,
    (argument: unknown, attempt: Attempt) =>
      makeEffect(api, method, orderSubject({ port: 'orders', method: name, argument } as OrdersCall), attempt),
  ])
  return {
    ...(Object.fromEntries(given) as Pick<OrdersPort, (typeof ORDER_EFFECTS)[number]>),
    ...searchOf(api, written.search, `${destination}: orders.search`),
    ...([...methods.values()].some(canBeFound) && { find }),
    ...tallyOf(api, methods.get('create')),
    ...([...methods.values()].some(isLookedFor) && { countRefunds }),
  }

  async function countRefunds(call: RefundCall, attempt: Attempt): Promise<number> {
    const method = methods.get(call.method)
    return method && isLookedFor(method) ? await countEffects(api, method, orderSubject(call), attempt) : 0
  }

  async function find(attempt: Attempt, call: { port: string; method: string }): Promise<Effect | null> {
    const method = methods.get(call.method)
    return method ? await findEffect(api, method, orderSubject(call as OrdersCall), attempt) : null
  }
}

function searchOf(api: Api, template: Written['search'], where: string): Pick<OrdersPort, 'search'> {
  if (!template) return {}
  return {
    async search(number, { signal, theirIds = [] }) {
      const one = (input: object) => search(api, { where, template, input, signal }, FoundOrders)
      if (theirIds.length === 0) return await one({ number })
      const each = theirIds.map(async (theirId) =>
        (await one({ number, theirId })).map((order) => ({ ...order, theirId })),
      )
      return (await Promise.all(each)).flat()
    },
  }
}

export function createCustomers(
  api: Api,
  { upsert, noteConsent, erase, byEmail, byPhone }: NonNullable<RestOptions['customers']>,
  destination: string,
): CustomersPort {
  const where = `${destination}: customers`
  const method = (name: string, written: WrittenEffects): Method => ({
    where: `${where}.${name}`,
    written,
    once: false,
  })
  return {
    ...(upsert && {
      upsert: (customer, attempt) =>
        makeEffect(api, method('upsert', upsert), customerSubject({ customer }, customer.customerId), attempt),
    }),
    ...(noteConsent && {
      noteConsent: (consent, attempt) =>
        makeEffect(api, method('noteConsent', noteConsent), customerSubject({ consent }, consent.customerId), attempt),
    }),
    ...(erase && {
      async erase(erased, attempt) {
        const notes: string[] = []
        for (const theirId of erased.theirIds.length > 0 ? erased.theirIds : [null]) {
          const subject = customerSubject({ erased, theirId }, null)
          notes.push((await makeEffect(api, method('erase', erase), subject, attempt)).note ?? '')
        }
        return { note: notes.join(', ') }
      },
    }),
    ...((byEmail || byPhone) && {
      async search(query, { signal }) {
        const { name, template, input } =
          query.type === 'email'
            ? { name: 'byEmail', template: byEmail, input: { email: query.email } }
            : {
                name: 'byPhone',
                template: byPhone,
                input: { phones: query.numbers, phone: query.numbers[0], typed: query.typed },
              }
        if (!template) return []
        return await search(api, { where: `${where}.${name}`, template, input, signal }, FoundCustomers)
      },
    }),
  }
}

/** A 404 finds nothing. Throws PermanentError `bad-answer` that names what is missing. */
async function search<T>(api: Api, reading: Reading<SearchTemplate>, schema: z.ZodType<T>): Promise<T[]> {
  const { where, template } = reading
  return await mapped(where, async () => {
    const statuses = { 404: 'done' as const, ...template.statuses }
    const over = await ask(api, { ...reading, template: { ...template, statuses } })
    if (over.status === 404) return []
    const listed = at('answer', () => listOf(template.answer, over))
    return listed.map((one) => parsed(`${where}.answer`, one, schema))
  })
}

const Address = z
  .object({
    firstName: Optional,
    lastName: Optional,
    address1: Optional,
    city: Optional,
    postalCode: Optional,
    country: Optional,
    countryCode: Optional,
  })
  .nullable()
  .default(null)

const FoundOrders: z.ZodType<FoundOrder> = z.object({
  number: Needed,
  placedAt: Optional,
  status: Optional,
  currency: Needed.transform((code) => code.toUpperCase()).refine((code) => /^[A-Z]{3}$/.test(code)),
  total: Amount,
  lines: listOfAll(
    z.object({
      rowId: Needed,
      gtin: Optional,
      sku: Optional,
      name: Needed,
      quantity: Amount,
      returned: z.preprocess((value) => value ?? 0, Amount),
      unitPrice: Amount,
      vatRate: Amount.nullable().default(null),
    }),
  ),
  payments: listOfAll(z.object({ type: Needed, amount: Amount, reference: Optional })),
  customer: z
    .object({ email: Optional, firstName: Optional, lastName: Optional, companyName: Optional, phone: Optional })
    .nullable()
    .default(null),
  billingAddress: Address,
  shippingAddress: Address,
})

const FoundCustomers: z.ZodType<CustomerRecord> = z.object({
  customerId: Optional,
  extId: Optional,
  email: Optional.transform((email) => email?.toLowerCase() ?? null),
  firstName: Optional,
  lastName: Optional,
  companyName: Optional,
  phone: Optional,
  address: Optional,
  postalCode: Optional,
  city: Optional,
  countryCode: Optional.transform((code) => code?.toUpperCase() ?? null),
})
