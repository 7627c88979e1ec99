import express, { Router } from 'express'
import { AskedBurst, AskedMovement } from '../actions/asked.ts'
import type { Till } from '../sales/till.ts'
import { act } from './act.ts'

/** The doings of a till besides the actions: `POST /sandbox/…`, with a small JSON body or a form, or none. */
export function createTillApi(till: Till, burst: (count: number) => void): Router {
  const router = Router()
  router.use('/sandbox', express.json(), express.urlencoded())
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
