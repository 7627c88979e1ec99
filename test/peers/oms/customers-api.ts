import { Router } from 'express'
import type { OmsCustomer, OmsState } from './records.ts'
import { refuse, strictBody } from './strict.ts'

/** `PUT /customers/{posId}` creates or replaces one; `GET /customers?email=` or `?phone=` finds; `PUT /stock` sets levels. */
export function createCustomersApi(state: OmsState): Router {
  const router = Router()

  router.put('/customers/:posId', ({ params, body }, response) => {
    const given = strictBody(body, { name: 'text', email: 'text?', phone: 'text?', city: 'text?' }, response)
    if (!given) return
    const { posId } = params
    const known = state.customers.find((one) => one.posId === posId)
    const { name, email = null, phone = null, city = null } = given as Partial<OmsCustomer>
    const customer = { id: known?.id ?? 501 + state.customers.length, posId, name: String(name), email, phone, city }
    state.customers = [...state.customers.filter((one) => one !== known), customer]
    response.status(known ? 200 : 201).json(customer)
  })

  router.get('/customers', ({ query }, response) => {
    const { email, phone, ...others } = query
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) return void refuse(response, 'unknown-parameter', unknown, 400)
    if (email === undefined && phone === undefined) return void refuse(response, 'parameter-missing', 'email', 400)
    const phones = String(phone ?? '').split(',')
    const found = state.customers.filter((one) =>
      email === undefined ? one.phone !== null && phones.includes(one.phone) : one.email === email,
    )
    response.json({ customers: found })
  })

  router.put('/stock', ({ body }, response) => {
    const given = strictBody(body, { levels: 'list' }, response)
    if (!given) return
    const levels = given.levels as Record<string, unknown>[]
    if (!levels.every((level) => strictBody(level, { location: 'text', gtin: 'text', quantity: 'any' }, response)))
      return
    for (const { location, gtin, quantity } of levels) state.levels.set(`${location}/${gtin}`, Number(quantity))
    response.status(204).end()
  })
  return router
}
