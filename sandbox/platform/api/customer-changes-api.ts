import { Router } from 'express'
import { z } from 'zod'
import type { CustomerBook, KnownCustomer } from '../people/book.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'

const Points = z.object({
  customerId: z.int(),
  amount: z.int(),
  comment: z.string().nullish(),
  saleId: z.int().nullish(),
})

/** Changes of customers besides what they buy (facts, §3 "customers"). Two of these write although they are GETs. */
export function createCustomerChangesApi(book: CustomerBook): Router {
  const router = Router()
  router.delete('/api/Customer/:id', ({ params: { id } }, response) => {
    book.remove(customer(id).customerid)
    response.status(200).end()
  })
  router.get('/api/Customer/optin/:id', ({ params: { id } }, response) => {
    Object.assign(customer(id), { agreedSendEmail: true, agreedSendSms: true })
    response.status(200).end()
  })
  router.get('/api/Customer/optout/:id', ({ params: { id } }, response) => {
    Object.assign(customer(id), { agreedSendEmail: false, agreedSendSms: false })
    response.status(200).end()
  })
  router.post('/api/Bonus', ({ body }, response) => {
    const { customerId, amount } = readBody(Points, body, Object.keys(Points.shape))
    const known = customer(String(customerId))
    Object.assign(known, { bonusBalance: known.bonusBalance + amount })
    response.status(200).end()
  })
  return router

  function customer(id: string): KnownCustomer {
    const found = book.byId(Number(id))
    if (!found) throw new Refusal(404, 'There is no such customer.')
    return found
  }
}
