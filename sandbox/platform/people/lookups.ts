import { request } from 'undici'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'

/** Where a POS asks, and with what (spec, "Endpoints the integrator must expose"). */
interface Asked {
  /** As the platform contact has configured it; the query is added to it. */
  url: string
  token: string
}

/** The retailer's own systems that are asked; one that is not connected cannot be. */
export interface Connections {
  customers?: Asked
  orders?: Asked
}

/** Nothing shows these answers: the POS reads what it can use of them. */
const FoundCustomer = z.looseObject({
  customerId: z.union([z.string(), z.number()]).nullish(),
  customerExtId: z.string().nullish(),
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
  phoneCountryPrefix: z.string().nullish(),
})
export type FoundCustomer = z.infer<typeof FoundCustomer>

const FoundOrder = z.looseObject({
  orderNo: z.string(),
  status: z.string().nullish(),
  total: z.number().nullish(),
  currency: z.string().nullish(),
  orderLines: z.array(
    z.looseObject({
      rowId: z.string().nullish(),
      gtin: z.string().nullish(),
      name: z.string().nullish(),
      quantity: z.number(),
      /** How many of it came back before. */
      returnedQuantity: z.number().nullish(),
      price: z.number(),
    }),
  ),
})
export type FoundOrder = z.infer<typeof FoundOrder>

/** A customer stands there: longer than this nobody waits (milliseconds). */
const TIMEOUT_MS = 5_000

/** The meaning of an answer that is none, for whoever stands at the POS; others are said by their number. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'It does not understand the question (400).',
  401: 'It does not know the token of the POS (401).',
  403: 'It does not let the POS in (403).',
  404: 'Nothing is at its address (404).',
  429: 'The POS ask too often: try again in a minute (429).',
  503: 'Not everybody who was asked there has answered: try again (503).',
}

/** The POS's questions to the retailer's own CRM and OMS, over HTTP as configured. What goes wrong is a Refusal. */
export function createLookups({ patience = TIMEOUT_MS }: { patience?: number } = {}) {
  let connections: Connections = {}

  async function ask(what: keyof Connections, query: string): Promise<{ status: number; body: unknown }> {
    const asked = connections[what]
    if (!asked) throw new Refusal(404, `No system is connected that the POS could ask for ${what}.`)
    const url = new URL(asked.url)
    url.searchParams.set('query', query)
    const headers = { authorization: `Bearer ${asked.token}`, accept: 'application/json' }
    try {
      const answer = await request(url, { headers, signal: AbortSignal.timeout(patience) })
      return { status: answer.statusCode, body: await jsonOf(answer.body) }
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      const why = isLate ? `No answer came within ${patience / 1_000} s.` : 'Nobody answers there.'
      throw new Refusal(504, `The ${what} were asked for at ${url.origin}. ${why}`)
    }
  }

  return {
    connect(to: Connections): void {
      connections = to
    },

    /** The people whom an e-mail address or a phone number belongs to. */
    async customers(query: string): Promise<FoundCustomer[]> {
      const { status, body } = await ask('customers', query)
      const found = z.array(FoundCustomer).safeParse(body)
      if (status === 200 && found.success) return found.data
      throw unusable('customers', status)
    },

    /** The online order of a number; null: there is none. */
    async order(number: string): Promise<FoundOrder | null> {
      const { status, body } = await ask('orders', number)
      if (status === 404) return null
      const found = FoundOrder.safeParse(body)
      if (status === 200 && found.success) return found.data
      throw unusable('orders', status)
    },
  }
}

export type Lookups = ReturnType<typeof createLookups>

/** The JSON of a body. A body that is none is nothing that a POS can use; the status says the rest. */
async function jsonOf(body: { text(): Promise<string> }): Promise<unknown> {
  const text = await body.text()
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function unusable(what: keyof Connections, status: number): Refusal {
  const words = status === 200 ? 'Its answer is not one that the POS can read.' : REFUSALS[status]
  return new Refusal(502, `A system was asked for ${what}. ${words ?? `It answered ${status}.`}`)
}
