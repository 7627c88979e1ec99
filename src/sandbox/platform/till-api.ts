import express, { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { toText } from './amounts.ts'
import { AskedBurst, AskedMovement, AskedReceipt, AskedSale } from './asked.ts'
import { Refusal } from './refusal.ts'
import { type Receipt, totalOf } from './sale-payload.ts'
import type { Till } from './till.ts'

/** The till for people and scripts: `POST /sandbox/…`, with a small JSON body or a form, or none. */
export function createTillApi(till: Till, burst: (count: number) => void): Router {
  const router = Router()
  router.use('/sandbox', express.json(), express.urlencoded())
  router.post(
    '/sandbox/sell',
    act(AskedSale, (asked) => shown(till.sell(asked))),
  )
  router.post(
    '/sandbox/endless-aisle',
    act(AskedSale, (asked) => shown(till.endlessAisle(asked))),
  )
  router.post(
    '/sandbox/send-receipt',
    act(AskedReceipt, (asked) => shown(till.sendReceipt(asked))),
  )
  router.post(
    '/sandbox/move-stock',
    act(AskedMovement, (asked) => {
      till.moveStock(asked)
      return { moved: true }
    }),
  )
  router.post(
    '/sandbox/burst',
    act(AskedBurst, ({ count }) => {
      burst(count)
      return { sales: count }
    }),
  )
  return router
}

/** A form goes back to the page; a script gets JSON. */
function act<Asked>(schema: z.ZodType<Asked>, run: (asked: Asked) => object) {
  return (request: Request, response: Response) => {
    const asked = schema.safeParse(request.body ?? {})
    if (!asked.success) throw new Refusal(400, z.prettifyError(asked.error))
    const done = run(asked.data)
    if (request.is('urlencoded')) response.redirect(303, '/')
    else response.json(done)
  }
}

function shown({ receiptNo, posId, store, lines, txRef, orderNo }: Receipt) {
  const total = `${toText(totalOf(lines))} ${store.Currency}`
  return { receiptNo, posId, store: store.StoreNo, total, txRef, orderNo }
}
